"""The finale of a duel: the search hands two fighters over to a patch, and takes them back after it."""

from dataclasses import replace

import numpy as np

from randori.duel.fight import Fight
from randori.graph.places import compose, inverse
from randori.graph.similarity import distances_from, poses_of
from randori.motion import rotations as rot
from randori.motion.placement import Placement
from randori.patches.prepared import Prepared
from randori.timeline.timeline import FORCED, Event, Placed

# gap between the two and the start of a patch that joins can bridge: metres, and radians
_BRIDGED_DISTANCE, _BRIDGED_ANGLE = 0.45, np.deg2rad(40.0)
_UNLIKE_DISTANCE = 0.3  # metres between their poses and those at the start of a patch
_TURN_COUNTS = 0.3  # metres for each radian
_SHORTEST_FINALE = 0.8  # seconds of a patch: shorter ones are no finale


class Finale:
    """A patch for two fighters, as soon as one continues their actions."""

    def __init__(self, prepared: Prepared, who: tuple[int, int], tick: int):
        self.who, self.tick, self.prepared = who, tick, prepared
        self.begun = False
        library, arrays = prepared.graph.library, prepared.patches.arrays
        rows = arrays.step_start[:-1]  # of the first step of every part: row 2 p + r
        steps = arrays.step[rows]
        self._first, self._begin = steps["first"], steps["start"]
        people = (steps["action"] < len(library)).reshape(-1, 2).all(axis=1)
        self._pelvis = np.zeros((len(rows), 3))  # where each character begins, in the frame of the patch
        known = np.repeat(people, 2)
        self._pelvis[known] = compose(library.placements[self._first[known]], arrays.place[rows[known]])
        last = arrays.step["stop"][arrays.step_start[1:] - 1]
        long = (last - self._begin).reshape(-1, 2).min(axis=1) >= _SHORTEST_FINALE * library.fps
        self._parts = np.flatnonzero(np.repeat(people & long, 2))

    def begins(self, fight: Fight) -> bool:
        """Hand the two over, if one of them is about to select and a patch continues the actions of both."""
        one = fight.selector
        if self.begun or one not in self.who or fight.now < self.tick:
            return False
        other = self.who[1 - self.who.index(one)]
        if not (fight.is_free(one) and fight.is_free(other)):
            return False
        found = self._fitting(fight, one, other)
        if found is None:
            return False
        self._hand_over(fight, (one, other), *found)
        self.begun = True
        return True

    def _fitting(self, fight: Fight, one: int, other: int) -> tuple[int, np.ndarray] | None:
        """The part of a patch that fits the selecting fighter best, and the placement of the patch."""
        library, frames = self.prepared.graph.library, len(self.prepared.graph.library.frames.clip)
        now, parts = fight.now, self._parts
        wait = self._begin[parts ^ 1] - self._begin[parts]  # ticks until the partner begins
        parts = parts[(wait >= 0) & (wait <= fight.ticks_left(other))]
        if len(parts) == 0:
            return None
        wait = self._begin[parts ^ 1] - self._begin[parts]
        mine, here = fight.shown(one, now)
        later = [fight.shown(other, now + int(ticks)) for ticks in wait]
        theirs, there = np.array([frame for frame, _ in later]), np.array([place for _, place in later])
        if mine >= frames or (theirs >= frames).all():
            return None  # copies that turn are no motions of patches
        # Step 1. Poses.
        alike = distances_from(poses_of(library, np.append(mine, self._first[parts])), 0)[1:]
        usable = (alike < _UNLIKE_DISTANCE) & (theirs < frames)
        for k in np.flatnonzero(usable).tolist():
            pair = np.array([theirs[k], self._first[parts[k] ^ 1]])
            apart = float(distances_from(poses_of(library, pair), 0)[1])
            usable[k], alike[k] = apart < _UNLIKE_DISTANCE, alike[k] + apart
        # Step 2. Places: the patch goes to the selecting fighter; how far is the partner off then?
        put = compose(inverse(self._pelvis[parts]), np.repeat(here[None], len(parts), axis=0))
        wanted = compose(self._pelvis[parts ^ 1], put)
        off = np.hypot(*(wanted[:, :2] - there[:, :2]).T)
        turned = np.abs(rot.wrap_angle(wanted[:, 2] - there[:, 2]))
        usable &= (off < _BRIDGED_DISTANCE) & (turned < _BRIDGED_ANGLE)
        if not usable.any():
            return None
        best = int(np.argmin(np.where(usable, alike + off + _TURN_COUNTS * turned, np.inf)))
        place = put[best].copy()
        place[:2] += 0.5 * (there[best, :2] - wanted[best, :2])  # both take half of it
        return int(parts[best]), place

    def _hand_over(self, fight: Fight, both: tuple[int, int], part: int, place: np.ndarray) -> None:
        arrays, put = self.prepared.patches.arrays, Placement(*place.tolist())
        number, tick = part // 2, fight.now - int(self._begin[part])
        roles = {part % 2: both[0], 1 - part % 2: both[1]}
        plans: dict[int, list[Placed]] = {}
        for role, who in roles.items():
            row = 2 * number + role
            plans[who] = []
            for k in range(int(arrays.step_start[row]), int(arrays.step_start[row + 1])):
                action, first, start, stop, _, _ = arrays.step[k].tolist()
                own = Placement(*arrays.place[k].tolist()).then(put)
                plans[who].append(Placed(action, first, start + tick, stop + tick, own, FORCED))
        events = [Event(fight.now, "finale", *both)]
        for event in self.prepared.patches.patch(number).events:
            point = event.point
            if point is not None:
                x, y, z = put.move_points(np.array(point)).tolist()
                point = x, y, z
            whom = roles[event.whom] if event.whom >= 0 else -1
            events.append(
                replace(event, tick=event.tick + tick, who=roles[event.who], whom=whom, point=point)
            )
        fight.follow(plans, events)
