"""All that a prepared character can do: gaits, and target motions with their reference postures."""

from collections.abc import Generator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from randori.capture.analysis import analyse
from randori.errors import RandoriError
from randori.graph.library import ActionLibrary, building_library
from randori.graph.locomotion_graph import THRESHOLD, build_locomotion_graph
from randori.graph.similarity import distance_matrix, poses_of
from randori.motion import rotations as rot
from randori.motion.clip import Clip
from randori.performer import performing
from randori.prepare.bodies import Model, find_curves, lay_on_floor, make_model, posture, posture_feet
from randori.prepare.controller import Controller
from randori.prepare.gaits import Gaits, find_gaits
from randori.prepare.learning import Lessons, train
from randori.prepare.reference_posture import TargetMotion, best_for, find_targets
from randori.work import finish

# the sets that the performer records for it
SETS = (("targets", 120.0), ("locomotion", 120.0), ("reactions", 40.0))

_BLOWS = (0.0, 0.5 * np.pi, np.pi, -0.5 * np.pi)  # radians from a heading: all ways a blow can drive a body


@dataclass(frozen=True, eq=False)
class Repertoire:
    """The data that does not change while characters run."""

    gaits: Gaits
    targets: Mapping[str, TargetMotion]  # by technique
    model: Model
    _near: dict[int, int] = field(default_factory=dict)  # frame → the posture it is most like

    @property
    def library(self) -> ActionLibrary:
        return self.gaits.library

    def reference(self, target: TargetMotion) -> tuple[np.ndarray, np.ndarray]:
        """Its reference posture (J, 4), and how the feet (2, 4) are turned in it, aiming straight ahead."""
        pose = posture(self.model, target.reference)
        feet = posture_feet(self.model, self.library.skeleton, target.reference)
        aim = rot.from_yaw(-target.aim)
        pose[0] = rot.multiply(aim, pose[0])
        return pose, rot.multiply(aim, feet)

    def find(self, technique: str) -> TargetMotion:
        """The target motion of a technique."""
        if technique not in self.targets:
            raise RandoriError(
                f"there is no target motion {technique!r}; the library has {', '.join(self.targets)}"
            )
        return self.targets[technique]

    def doing(self, *what: str) -> str:
        """The technique of a target motion that does the first of these that there is."""
        for one in what:
            found = best_for(self.library, self.targets.values(), one)
            if found is not None:
                return found.technique
        raise RandoriError(
            f"the library has no {' or '.join(what)} that starts from a walk; it has "
            f"{', '.join(f'{name} ({target.doing})' for name, target in self.targets.items())}"
        )

    def posture_like(self, frame: int) -> int:
        """The posture that a frame is most like."""
        if frame not in self._near:
            frames = self.gaits.graph.graph.posture_frame[self.gaits.posture]
            apart = distance_matrix(poses_of(self.library, np.concatenate([[frame], frames])))
            self._near[frame] = int(np.argmin(apart[0, 1:]))
        return self._near[frame]

    def fall(self, blow: float = np.pi) -> tuple[int, int]:
        """The action of a fall after a blow, and its first frame; or -1.

        `blow` is where the blow drives the body, in radians from its heading, to a quarter turn: π is
        straight back.
        """
        library = self.library
        found = [
            action
            for action in range(len(library))
            if library.tags[action].kind == "fall"
            and not library.clips[library.actions.clip[action]].mirrored
        ]
        if not found:
            return -1, -1
        # the fall that goes farthest along the blow: a body does not fall into the fist that struck it
        ends = np.array([self._way_of(action) for action in found])
        blow = _BLOWS[round(blow / (0.5 * np.pi)) % len(_BLOWS)]
        found = [found[int(np.argmax(ends @ [np.sin(blow), np.cos(blow)]))]]
        return found[0], int(library.actions.start[found[0]])

    def _way_of(self, action: int) -> np.ndarray:
        """(2,) metres aside and ahead that an action goes, as its first frame sees it."""
        library, model = self.library, self.model
        first, last = int(library.actions.start[action]), int(library.actions.stop[action])
        way = rot.rotate(rot.from_yaw(-model.heading[first]), model.root[last] - model.root[first])
        return np.array([way[0], way[2]])

    def after_fall(self, fall: int) -> list[int]:
        """Actions that were recorded after a fall, until the walker is up again; none if it does not get
        up."""
        library, found = self.library, []
        for action in range(fall + 1, len(library)):
            follows = library.actions.start[action] == library.actions.stop[action - 1]
            if not follows or library.actions.clip[action] != library.actions.clip[fall]:
                break
            found.append(action)
            if library.tags[action].kind == "rise":
                return found
        return []

    def leave_well(self, first: int, end: int) -> int:
        """The frame in which something is left so that a gait follows on: the first that is about right."""
        frames = np.arange(first, max(end, first) + 1, 2)
        postures = self.gaits.graph.graph.posture_frame[self.gaits.posture]
        poses = poses_of(self.library, np.concatenate([frames, postures]))
        apart = distance_matrix(poses)[: len(frames), len(frames) :].min(axis=1)
        fit = np.flatnonzero(apart < THRESHOLD)
        return int(frames[fit[0] if len(fit) else np.argmin(apart)])


def make_repertoire(library: ActionLibrary, curves: Mapping[str, float] | None = None) -> Repertoire:
    """The repertoire of a library. Curves are equation 1's constants, by body part."""
    graph = build_locomotion_graph(library)
    gaits = find_gaits(graph)
    model = make_model(library, find_curves(library.skeleton, curves))
    found = Repertoire(gaits, find_targets(graph), model)
    found = replace(
        found,
        targets={
            name: replace(one, stop=found.leave_well(one.stop, int(library.actions.stop[one.action])))
            for name, one in found.targets.items()
        },
    )
    for target in found.targets.values():
        lay_on_floor(library, model, target.start, target.stop)
    for fall, first in sorted({found.fall(blow) for blow in _BLOWS}):
        if fall >= 0:
            last = found.after_fall(fall)[-1:] or [fall]
            lay_on_floor(library, model, first, int(library.actions.stop[last[0]]))
    return found


def performed_library(
    seed: int = 1, sets: Sequence[tuple[str, float]] = SETS
) -> Generator[float, None, ActionLibrary]:
    """The library that the built-in performer records for it; yields the share that is done."""
    clips: list[Clip] = []
    for number, (name, seconds) in enumerate(sets):
        work = performing(name, seconds, seed)
        while True:
            try:
                yield 0.8 * (number + next(work)) / len(sets)
            except StopIteration as finished:
                clips += [take.clip for take in finished.value]
                break
    yield 0.9
    return finish(building_library([(clip, analyse(clip)) for clip in clips], mirrored=True))


def learn(
    repertoire: Repertoire, lessons: Lessons | None = None, seed: int = 1
) -> Generator[float, None, Controller]:
    """A controller for its gaits. It serves every target motion, as all share the curve of the legs."""
    return train(repertoire.gaits, lessons, seed)
