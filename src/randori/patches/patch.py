"""A patch: a short interaction of two characters.

**The frame of a patch.** Ticks count from the moment in which the first of the two characters starts. Places
are such that the pelvis of the first character (role 0) stands in the origin when its part starts, and looks
along +Z. To put a patch into the world, give a `Placement` and a tick: every placement of its steps is moved
by it (`step.placement.then(place)`), every tick is counted from there (`Patch.put`). Nothing else changes, so
the two keep the relation in which the patch was worked out.

**Before and after.** A part starts in the tick of its first step and stops in that of its last; the two do
not start or stop together. The composer decides what a character does outside of its part. The patch is free
of collisions also for a character that stands still before and after, in the first and the last pose of its
part.

**Continuing.** A character that ends in a posture of the action graph can continue with any action that
starts in it, and so with any part that starts with such an action. `following` says where the next action's
recording has to be.
"""

from dataclasses import dataclass, replace

import numpy as np

from randori.graph.action_graph import ActionGraph
from randori.graph.places import compose, inverse
from randori.motion.placement import Placement
from randori.timeline.timeline import Event, Placed

ROLES = (0, 1)  # the first and the second character of a pattern


@dataclass(frozen=True)
class Condition:
    """The arrangement of two characters."""

    distance: float  # metres between the pelvises over the floor
    bearings: tuple[float, float]  # radians: the direction of the partner, 0 ahead, positive to the left
    delay: float  # seconds that the second starts (or stops) after the first; negative: before

    def row(self) -> tuple[float, float, float, float]:
        return self.distance, *self.bearings, self.delay


@dataclass(frozen=True)
class Part:
    """The part of one of the two characters: steps without a gap."""

    steps: tuple[Placed, ...]  # ticks and places of the patch
    moves: tuple[int, ...]  # for each step, the pattern's move that it belongs to

    @property
    def start(self) -> int:
        """Tick in which the first step starts."""
        return self.steps[0].start

    @property
    def stop(self) -> int:
        """Tick in which the last step has ended."""
        return self.steps[-1].stop

    def frame_at(self, tick: int) -> tuple[int, Placement]:
        """The frame of the library in a tick and where it goes; before and after, the first and last pose."""
        tick = min(max(tick, self.start), self.stop)
        for step in self.steps:
            if tick < step.stop:
                break
        return step.first + tick - step.start, step.placement


@dataclass(frozen=True)
class Patch:
    """Two parts that belong together."""

    pattern: int  # number of the pattern in the scene
    parts: tuple[Part, Part]
    initial: Condition  # when the first of the two starts
    final: Condition  # when the last of the two has stopped
    events: tuple[Event, ...]  # `who` and `whom` are roles; ticks and points are in the patch's frame
    score: float  # 0 to 1

    @property
    def ticks(self) -> int:
        """The duration until both have stopped; the first of them starts in tick 0."""
        return max(part.stop for part in self.parts)

    def put(self, place: Placement, tick: int) -> "Patch":
        """The patch in the world: moved by a placement, begun in a tick."""
        parts = tuple(
            replace(part, steps=tuple(moved(step, place, tick) for step in part.steps)) for part in self.parts
        )
        events = tuple(
            replace(event, tick=event.tick + tick, point=_moved_point(event.point, place))
            for event in self.events
        )
        return replace(self, parts=(parts[0], parts[1]), events=events)


def moved(step: Placed, place: Placement, tick: int) -> Placed:
    """A step in the world, for a patch that is put there."""
    return replace(step, start=step.start + tick, stop=step.stop + tick, placement=step.placement.then(place))


def _moved_point(
    point: tuple[float, float, float] | None, place: Placement
) -> tuple[float, float, float] | None:
    if point is None:
        return None
    x, y, z = place.move_points(point)
    return float(x), float(y), float(z)


def following(graph: ActionGraph, last: Placed, action: int) -> Placement:
    """The place of an action's recording that follows on a step which ends in its start posture."""
    posture = compose(graph.exit[[last.action]], _row(last.placement))
    return _placement(compose(inverse(graph.entry[[action]]), posture)[0])


def place_after(graph: ActionGraph, last: Placed, part: Part) -> Placement:
    """The place of a patch one of whose parts follows on a step of the same character."""
    first = part.steps[0]
    return first.placement.inverse().then(following(graph, last, first.action))


def _row(place: Placement) -> np.ndarray:
    return np.array([[place.x, place.z, place.yaw]])


def _placement(row: np.ndarray) -> Placement:
    return Placement(float(row[0]), float(row[1]), float(row[2]))
