"""What every live session has for the page: bodies, things, inputs, and a way to keep it."""

from abc import ABC, abstractmethod
from collections.abc import Callable, Generator
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from randori.errors import RandoriError
from randori.folders import cache_folder
from randori.motion.skeleton import Skeleton
from randori.scene.take import Take
from randori.sources import source_hash
from randori.studio import messages as wire
from randori.studio.project import Project
from randori.timeline.session import Frame, Session

# modules that make the motions of a controller, and that learn it
_LEARNING = {
    "policy": ("randori.graph.performed", "randori.policy.table"),
    "prepare": ("randori.prepare.repertoire", "randori.prepare.controller_file"),
}
WHITE = (0.95, 0.95, 0.92)


class Live(ABC):
    """A session as the page sees it."""

    title: str
    session: Session
    skeleton: Skeleton
    names: list[str]
    wears: list[int]
    ahead = 0.1  # seconds that it is ahead of the page: an input that does not go back is seen so much later

    forgets = False  # whether a take shows only the end of a long session

    def __init__(self) -> None:
        self.scene: wire.SceneText | None = None  # that it plays
        self.follow = -1  # whom the camera follows at first; -1: everybody
        self.props: list[wire.Prop] = []  # those that move come first
        self.controls: list[wire.LiveControl] = []

    def send(self, what: str, values: dict[str, Any]) -> "Live | None":
        """An input of the page. Some begin anew: then what goes on from here is the answer."""
        self.session.send(what, **values)
        return None

    def step(self) -> Frame:
        """The next tick."""
        return self.session.step()

    def copied(self) -> "Live | None":
        """The same session in the same tick, to come back to; None of those that cannot."""
        return None

    def decisions(self) -> list[wire.DecisionMark]:
        """Those that were made since they were last asked for."""
        return []

    def ways(self, take: Take) -> np.ndarray | None:
        """(F, P, 4) where things are in a take of it, if that is not simply where they were shown."""
        return None

    @abstractmethod
    def keeping(self) -> Generator[float, None, Take]:
        """A take of what has happened so far."""


@dataclass(frozen=True)
class Kind:
    """A live session that can be started."""

    group: str
    title: str
    description: str
    start: Callable[[str, wire.LiveStart, Project], Generator[float, None, Live]]
    ready: Callable[[], bool]


def spot(values: dict[str, Any]) -> tuple[float, float]:
    """x and z of a place that the page gives."""
    place = values.get("place")
    if not isinstance(place, list) or len(place) != 3 or not all(isinstance(v, int | float) for v in place):
        raise RandoriError("goal: expected a place of three numbers, in metres")
    return float(place[0]), float(place[2])


def ball(name: str, colour: wire.Colour, radius: float, number: int) -> wire.Prop:
    """A ball that moves along the path of that number."""
    here = (0.0, 0.0, 0.0)
    return wire.Prop(name=name, colour=colour, starts=[here], stops=[here], radii=[radius], path=number)


def standing(
    name: str, colour: wire.Colour, starts: np.ndarray, stops: np.ndarray, radii: np.ndarray
) -> wire.Prop:
    """Something that stands where it is, made of cones (K, 3), (K, 3), (K,)."""
    return wire.Prop(
        name=name,
        colour=colour,
        starts=starts.tolist(),
        stops=stops.tolist(),
        radii=radii.tolist(),
        path=-1,
    )


def controller_path(name: str) -> Path:
    """Where a controller is kept: another file as soon as the code that it was learned with changes."""
    return cache_folder() / "controllers" / f"{name}-{source_hash(*_LEARNING[name])}.npz"


def has(name: str) -> Callable[[], bool]:
    """Whether something has been learned already."""
    return lambda: controller_path(name).is_file()
