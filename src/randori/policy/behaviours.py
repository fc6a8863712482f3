"""Behaviours that avatars can learn. Each is one function here: its targets, and the value of its actions.

Every action has moments: points of the body at ticks after its start. An action is rewarded by the best of
them, max over t of γ^t · weight · signal(distance from the target). A behaviour that leads to another one is
rewarded by what that one is worth where it takes over. docs/policy.md says how to add one.
"""

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np

from randori.errors import RandoriError
from randori.graph.library import EFFECTORS
from randori.kernels.policy import AWAY, BEHAVIOUR, NEAR, WITHIN
from randori.motion import rotations as rot
from randori.motion.parts import SIDES
from randori.policy.grid import Grid
from randori.policy.model import NO_MARKS, Marks, Model

HANDS = tuple(EFFECTORS.index(f"{side}_hand") for side in SIDES)
_SAMPLES = 15.0  # per second, of a trajectory: the rate of the paper's recordings
FEET = tuple(EFFECTORS.index(f"{side}_foot") for side in SIDES)


@dataclass(frozen=True)
class Settings:
    """Settings for users. They are the paper's values, except where docs/policy.md gives a reason."""

    discount: float = 0.97  # per frame,
    rate: float = 60.0  # of so many a second: another library's second is discounted the same
    radius: float = 2.0  # metres, of the approach
    approach_distances: int = 9
    approach_angles: int = 18
    approach_heights: int = 4  # two or more: from the punch's lowest to its highest
    punch_angles: int = 12
    punch_distances: int = 7
    punch_heights: int = 8
    hardness: float = 0.25  # how much a harder blow is worth: its speed over the fastest, to this power
    reach: float = 0.15  # metres from the fist to the target's middle that count as a hit
    outliers: float = 0.01  # share of the blows at either end of angles and distances, outside the volume
    height_outliers: float = 0.0  # the same of heights: one can go nearer to a target, but not higher
    pace: float = 0.8  # m/s: a target outside a grid is worth less by the time that the way there takes
    evade_distances: int = 5
    evade_angles: int = 13
    evade_heights: int = 4
    evade_scale: float = 0.25  # metres, σ
    near: float = 0.0  # metres, σ of the paper's reward for an approach; 0: what the punch is worth there


# The paper's own rewards, grids and discount. Its recordings have 15 frames a second: build a library with as
# many, and let an avatar look at one state only (`ahead` 1), as its boxers do.
FAITHFUL_RATE = 15.0  # frames per second
FAITHFUL = Settings(
    rate=FAITHFUL_RATE,
    approach_distances=5,
    approach_angles=13,
    approach_heights=1,
    punch_angles=10,
    punch_distances=10,
    punch_heights=4,
    hardness=1.0,
    outliers=0.0,
    near=0.1,
)


@dataclass(frozen=True, eq=False)
class Behaviour:
    """A grid of targets, the points of the body that matter, and what their distance is worth."""

    name: str
    grid: Grid
    marks: Marks = NO_MARKS
    signal: int = WITHIN  # or AWAY or NEAR, see kernels/policy.py
    scale: float = 0.0  # metres
    then: "Behaviour | None" = None  # takes over where it covers the target; its value there counts
    at_fist: bool = False  # its target is the fist of the one that the avatar fights, not the head
    always: bool = False  # also when the target is outside the grid

    def record(self, then: int = 0, first: int = 0, unit: float = 1.0) -> np.ndarray:
        """() BEHAVIOUR for kernels: `then` is the number of the behaviour that takes over, or its own.

        Its values begin at `first` in a state's row, and are so many units.
        """
        row = np.zeros((), BEHAVIOUR)
        row["grid"] = self.grid.record(first, unit)
        row["signal"], row["scale"], row["then"] = self.signal, self.scale, then
        row["flat"], row["always"] = self.grid.flat, self.always
        return row


def approach(model: Model, settings: Settings) -> Behaviour:
    """Go where the punch can begin, and is worth most."""
    around = Grid.around(settings.radius, settings.approach_distances, settings.approach_angles)
    if settings.near > 0.0:
        return _go_near(model, settings, around)
    then = punch(model, settings)
    heights = (*then.grid.heights[:2], settings.approach_heights)  # which blow comes depends on it
    grid = Grid(around.angles, around.distances, heights, _fade(settings))
    return Behaviour("approach", grid, then=then, always=True)


def _go_near(model: Model, settings: Settings, around: Grid) -> Behaviour:
    """Bring the middle of all effective hitting points to the target: the paper's equation 5."""
    hits = model.hits
    which = np.isin(hits.effector, HANDS)
    middle = model.as_seen(hits.frame[which], hits.point[which]).mean(axis=0)
    frames = _sampled(model, settings)
    x, z, yaw = model.places[frames].T
    points = rot.rotate(rot.from_yaw(yaw), middle) + np.column_stack([x, np.zeros(len(x)), z])
    grid = Grid(around.angles, around.distances, fade=_fade(settings))
    marks = Marks(frames, points, np.ones(len(frames)))
    return Behaviour("approach", grid, marks, NEAR, settings.near, always=True)


def punch(model: Model, settings: Settings) -> Behaviour:
    """Hit the target with a fist, hard."""
    return _strike("punch", HANDS, model, settings)


def kick(model: Model, settings: Settings) -> Behaviour:
    """Hit the target with a foot, hard."""
    return _strike("kick", FEET, model, settings)


def evade(model: Model, settings: Settings) -> Behaviour:
    """Get the head out of the way of the target: a fist that comes."""
    skeleton = model.library.skeleton
    frames = _sampled(model, settings)
    head = model.library.positions[frames, skeleton.joint("head")]
    seen = model.as_seen(frames, head)
    low, high = np.percentile(seen[:, 1], [1.0, 99.0]).tolist()
    around = 2.0 * settings.evade_scale
    grid = Grid.around(
        float(np.hypot(seen[:, 0], seen[:, 2]).max()) + around,
        settings.evade_distances,
        settings.evade_angles,
    )
    grid = Grid(grid.angles, grid.distances, (low - around, high + around, settings.evade_heights))
    marks = Marks(frames, head, np.ones(len(frames)))
    return Behaviour("evade", grid, marks, AWAY, settings.evade_scale, at_fist=True)


BEHAVIOURS: dict[str, Callable[[Model, Settings], Behaviour]] = {
    made.__name__: made for made in (approach, punch, kick, evade)
}
PAPER = ("approach", "punch")


def _strike(name: str, effectors: tuple[int, ...], model: Model, settings: Settings) -> Behaviour:
    """Hit the target with one of the effectors."""
    marks, seen = _hitting_points(model, effectors, name)
    polar = np.column_stack(
        [np.arctan2(seen[:, 0], seen[:, 2]), np.hypot(seen[:, 0], seen[:, 2]), seen[:, 1]]
    )
    aside = np.array([settings.outliers, settings.outliers, settings.height_outliers])
    low, high = (np.diag(np.quantile(polar, share, axis=0)) for share in (aside, 1.0 - aside))
    counts = (settings.punch_angles, settings.punch_distances, settings.punch_heights)
    axes = [(float(a), float(b), count) for a, b, count in zip(low, high, counts)]
    marks = marks._replace(weight=marks.weight**settings.hardness)
    grid = Grid(axes[0], axes[1], axes[2], _fade(settings))
    return Behaviour(name, grid, marks, WITHIN, settings.reach)


def _hitting_points(model: Model, effectors: tuple[int, ...], name: str) -> tuple[Marks, np.ndarray]:
    """Points that these effectors hit, weighted by speed; and their places as the avatar chooses (K, 3).

    Many blows step in: what they hit is farther away when they are chosen than when they land.
    """
    hits = model.hits
    which = np.flatnonzero(np.isin(hits.effector, effectors))
    if len(which) == 0:
        words = " or ".join(EFFECTORS[effector].replace("_", " ") for effector in effectors)
        raise RandoriError(
            f"{name} cannot be learned: the library has no strike of the {words}. Capture recordings "
            f"with strikes, or correct their tags beside them"
        )
    speed = np.linalg.norm(hits.velocity[which], axis=-1)
    marks = Marks(hits.frame[which], hits.point[which], speed / speed.max())
    seen = model.moments(marks, 0.0).point
    if len(seen) == 0:
        raise RandoriError(f"{name} cannot be learned: no strike lies on a way through the library's graph")
    return marks, seen


def _sampled(model: Model, settings: Settings) -> np.ndarray:
    """Frames that a trajectory is looked at in, and every state."""
    step = max(round(model.library.fps / _SAMPLES), 1)
    every = np.arange(0, len(model.library.frames.clip), step)
    return np.union1d(every, model.graph.state_frame)


def _fade(settings: Settings) -> float:
    """Per metre outside a grid: what the discount takes on the way back."""
    return float(-np.log(settings.discount) * settings.rate / settings.pace)
