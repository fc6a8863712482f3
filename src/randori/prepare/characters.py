"""Characters that walk to their goals, prepare for nearby sources, and launch target motions on command.

At the end of every step each one looks at its goal and at its source of influence and asks the controller.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field, replace
from typing import NamedTuple

import numpy as np

from randori.errors import RandoriError
from randori.graph.joining import Walk
from randori.kernels import prepare as kernels
from randori.kernels import prepared_pose
from randori.motion import rotations as rot
from randori.motion.easing import smooth_step
from randori.motion.placement import Placement
from randori.prepare.bodies import Bodies
from randori.prepare.controller import LEVEL_STEP, NOTHING_NEAR, Controller
from randori.prepare.history import History
from randori.prepare.reference_posture import TargetMotion
from randori.prepare.repertoire import Repertoire
from randori.prepare.room import BESIDE, gap, is_free, pushes, way_round
from randori.timeline.timeline import CHOSEN, FORCED, Event, Placed, Timeline, Track

SMOOTH = 0.12  # seconds, σ of the Gaussian that the level of preparation is smoothed with
CLOSE = 0.1  # metres from the place of launch at which a walker waits for it
_LETTING_GO = 0.22  # seconds in which the preparation for a target motion that was launched goes
_STARTING_SECONDS = 0.35  # seconds in which a target motion comes up to its speed
_STRETCH_LIMITS = (0.55, 1.5)  # times its recorded way that a target motion may be made to go
_STEERING_SPEED = 0.03  # radians per tick at most by which a walker is turned towards its aim
_SETTLING_SPEED = 0.01  # radians per tick at most by which a standing walker is turned back
_CHANGING_SECONDS = 0.4  # seconds in which one reference posture gives way to another
_ARRIVAL_TICKS = 6  # ticks after which a walker checks again whether it has arrived
_LEVEL_SECONDS = 0.35  # seconds after which a walker at the source goes up by another level
_WAY_ANGLE = np.radians(50.0)  # between a source and the goal: a source farther round is passed by
_SAME_PLACE = 0.5  # metres: a goal that is so near to a source is that source
_AIM_ANGLE = np.radians(15.0)  # off the aim: no target motion is launched from farther round
_FACING_ANGLE = np.radians(40.0)  # a walker turned farther away from its source turns to it first
_TO_THE_TOES = 1.12  # times the way from head to ankles
_WAY_RADIUS = 2.0  # metres: a character that stands farther away is not in the way
# radians of spin that are tried for a walker that would fall on others
_FALL_SPINS = (0.0, 0.4, -0.4, 0.8, -0.8)
_FORESIGHT = 1.5  # seconds for which a walker foresees an approaching source
_MOVE_SECONDS = 0.6  # seconds of a usual move: a source that approaches is nearer by then
_AHEAD_ANGLE = 0.5 * np.pi  # radians: a source farther round lies behind
_READY_LEVEL = 0.7  # the level of preparation that is enough to launch something
_SETTLED_SECONDS = 0.2  # seconds after a join in which nothing is launched: two joins at once would jerk
_STRETCH_SHARE = 0.8  # share of a target motion's stretch that a walker relies on
_EARLY_DISTANCE = 0.15  # metres before its place at most that a target motion is launched
WALKING, TARGET, LYING, RISING = range(4)
DOWN = (LYING, RISING)


class Source(NamedTuple):
    """A thing that a walker prepares for."""

    technique: str  # the target motion that it asks for
    place: tuple[float, float]  # x, z metres
    number: int  # its own, in its scene
    closing: float = 0.0  # metres per second by which it comes nearer


@dataclass
class Mind:
    """The state of one character."""

    controlled: bool = True  # prepares for things; others only walk
    goal: tuple[float, float] | None = None
    posture: int = 0  # in which its move ends
    move: int = -1
    mode: int = WALKING
    level: int = 0  # of preparation, as chosen last
    idle: bool = False  # stops or stands
    stands: float = 0.0  # radians, where it headed as it began to
    raised: int = 0  # tick in which the level changed
    source: Source | None = None
    reference: str = ""  # technique whose reference posture is prepared for
    changing: int = 0  # ticks until that posture is taken up
    target: TargetMotion | None = None
    aim: Source | None = None  # the thing that the target motion is for
    launched: int = 0  # tick
    prepared: float = 0.0  # level at that moment
    stop: int = 0  # last frame that it plays
    rests: np.ndarray | None = None  # (2, 2) x, z metres of head and feet, once it lies still
    following: list[int] = field(default_factory=list)  # actions that follow on the fall: lie, get up
    placed: list[Placed] = field(default_factory=list)


class Characters:
    """Characters with one repertoire; a scene (prepare/scenes.py) tells them which sources there are."""

    def __init__(self, repertoire: Repertoire, controller: Controller, count: int):
        self.repertoire, self.controller = repertoire, controller
        self.fps = repertoire.library.fps
        self.bodies = Bodies(repertoire.model, self.fps, count)
        self.minds = [Mind() for _ in range(count)]
        self.tick = 0
        self.events: list[Event] = []
        self.levels = np.zeros(count)
        half = round(2.0 * SMOOTH * self.fps)
        window = np.exp(-0.5 * (np.arange(-half, half + 1) / (SMOOTH * self.fps)) ** 2)
        self._window = window / window.sum()
        self._wanted = np.zeros((count, len(window)))  # the last levels, newest first
        self._references = {name: repertoire.reference(target) for name, target in repertoire.targets.items()}
        self._early = {name: self._launched_early(target) for name, target in repertoire.targets.items()}
        self._effects = {name: self._effect(target) for name, target in repertoire.targets.items()}
        self._history = History()  # root, rotations, levels and frame of all characters
        self._joins: list[list[int]] = [[] for _ in range(count)]
        self.others = np.zeros((0, 2))  # metres, places of characters of other controllers
        # the sources, asked again whenever a character chooses; a scene sets it
        self.sources: Callable[[int], Sequence[Source]] = lambda body: ()

    # --- inputs

    def put(self, body: int, x: float, z: float, heading: float) -> None:
        """Add a character, standing at a place."""
        gaits, library = self.repertoire.gaits, self.repertoire.library
        idle = np.flatnonzero(gaits.idle >= 0)
        start = (
            int(idle[np.argmin(np.abs(gaits.travel[gaits.idle[idle], 0]).sum(axis=1))]) if len(idle) else 0
        )
        self.minds[body].posture = start
        first_frame = int(library.actions.start[gaits.move[self._idle(start)]])
        self.bodies.place(body, first_frame, x, z, heading)
        first = next(iter(self._references.values()))
        self.bodies.prepare_for(body, *first)
        self._begin(body, self._idle(start))

    def head_for(self, body: int, goal: tuple[float, float] | None) -> None:
        """Set the goal of a character; None to stay."""
        self.minds[body].goal = goal

    # --- results

    def step(self) -> None:
        """Advance all characters by one tick."""
        for body in range(len(self.minds)):
            self._go_on(body)
        self._wanted = np.roll(self._wanted, 1, axis=1)
        for body, mind in enumerate(self.minds):
            self._wanted[body, 0] = self._level(mind)
        drawn = self._wanted @ self._window
        self.levels = drawn.copy()
        for body, mind in enumerate(self.minds):
            if mind.mode == TARGET:
                # the prepared posture has become the target motion itself: from here on it is only for show
                share = (self.tick - mind.launched) / (_LETTING_GO * self.fps)
                kept = mind.prepared * (1.0 - float(smooth_step(share)))
                self.levels[body] = max(kept, self.levels[body])
        self._make_room()
        self.bodies.step(drawn)
        self.tick += 1
        frame = np.rint(self.bodies.state.bodies["cursor"]).astype(np.int64)
        self._history.append(self.bodies.root.copy(), self.bodies.rotations.copy(), self.levels.copy(), frame)

    def lying(self) -> list[np.ndarray]:
        """(2, 2) x, z metres of head and feet, for every character that lies."""
        skeleton, found = self.repertoire.library.skeleton, []
        ends = [skeleton.joint(part) for part in ("head", "left_foot", "right_foot")]
        for body, mind in enumerate(self.minds):
            if mind.mode in DOWN and mind.rests is not None:
                found.append(mind.rests)
            elif mind.mode in DOWN:
                places, _ = skeleton.forward(self.bodies.root[[body]], self.bodies.rotations[[body]])
                head, *feet = places[0, ends][:, [0, 2]]
                found.append(np.stack([head, head + _TO_THE_TOES * (np.mean(feet, axis=0) - head)]))
        return found

    def _make_room(self) -> None:
        """A character that stands too near to another one steps aside."""
        if len(self.minds) + len(self.others) < 2:
            return
        modes = np.array([mind.mode for mind in self.minds])
        down = np.isin(modes, DOWN)
        upright = np.flatnonzero(~down)
        place, lying = self.bodies.state.bodies["place"], self.lying() if down.any() else []
        free = np.concatenate([modes[upright] == WALKING, np.zeros(len(self.others), dtype=bool)])
        aside = pushes(np.concatenate([place[upright], self.others]), free, lying)
        place[upright] += aside[: len(upright)] / self.fps

    def _has_room(self, body: int) -> Callable[[int, int], bool] | None:
        """Returns a test: does a move at a level lead a character to a free place?"""
        places, gaits = self.bodies.state.bodies["place"], self.repertoire.gaits
        place, heading = places[body], float(self.bodies.state.bodies["heading"][body])
        near = np.flatnonzero(np.linalg.norm(places - place, axis=1) < _WAY_RADIUS)
        others = [places[other] for other in near if other != body and self.minds[other].mode not in DOWN]
        others += [one for one in self.others if np.linalg.norm(one - place) < _WAY_RADIUS]
        lying = self.lying()
        if not others and not lying:
            return None
        cosine, sine = np.cos(heading), np.sin(heading)

        def allowed(move: int, level: int) -> bool:
            aside, ahead, _ = gaits.travel[move, level]
            end = place + np.array([cosine * aside + sine * ahead, cosine * ahead - sine * aside])
            return is_free(end, others, lying)

        return allowed

    def seen(self, body: int, x: float, z: float) -> tuple[float, float]:
        """The distance of a place in metres, and its bearing in radians from the direction of a pelvis."""
        own = self.bodies.state.bodies[body]
        dx, dz = x - own["place"][0], z - own["place"][1]
        return float(np.hypot(dx, dz)), float(rot.wrap_angle(np.arctan2(dx, dz) - own["heading"]))

    def nearest(self, body: int, ahead: bool = True) -> tuple[Source | None, float, float]:
        """The source of influence: the nearest thing, how far its launching place is, and where."""
        found: tuple[Source | None, float, float] = None, NOTHING_NEAR, 0.0
        for source in self.sources(body):
            distance, angle = self.seen(body, *source.place)
            # a character ignores sources behind it, unless its goal is there
            if ahead and abs(angle) > _AHEAD_ANGLE and not self._heads_for(body, source):
                continue
            left = max(distance - self.repertoire.find(source.technique).range, 0.0)
            if found[0] is None or left < found[1]:
                found = source, left, angle
        return found

    def _heads_for(self, body: int, source: Source) -> bool:
        """Whether a character's goal is a source, or was a moment ago."""
        goal = self.minds[body].goal
        return goal is not None and float(np.hypot(*np.subtract(goal, source.place))) < _SAME_PLACE

    def ready(self, body: int) -> bool:
        """Whether a character is at the place of launch for its source, and prepared."""
        source, left, angle = self.nearest(body)
        if source is None or self.minds[body].mode != WALKING:
            return False
        here = left <= self._early[source.technique] and abs(angle) < _AIM_ANGLE
        joined = self._joins[body][-1] if self._joins[body] else 0
        settled = self.tick - joined >= _SETTLED_SECONDS * self.fps
        return here and settled and float(self.levels[body]) > _READY_LEVEL

    def _launched_early(self, target: TargetMotion) -> float:
        """Metres before its place from which a target motion still gets there, as it is stretched."""
        root = self.repertoire.model.root
        way = np.linalg.norm((root[self._steered_until(target)] - root[target.reference])[[0, 2]])
        return CLOSE + min(_STRETCH_SHARE * (_STRETCH_LIMITS[1] - 1.0) * float(way), _EARLY_DISTANCE)

    # --- how a character continues

    def _level(self, mind: Mind) -> float:
        return 0.0 if mind.mode in DOWN or not mind.controlled else mind.level * LEVEL_STEP

    def _go_on(self, body: int) -> None:
        mind, own = self.minds[body], self.bodies.state.bodies[body]
        if mind.mode == TARGET:
            self._guide(body)
        looks = (self.tick + body) % _ARRIVAL_TICKS == 0
        if mind.source is not None and mind.mode == WALKING:
            if looks:
                self._rise(body)
            self._get_ready(body, mind.source.technique)
        if mind.mode == WALKING:
            # a standing walker looks about, but does not turn away bit by bit; a waiting one turns to its
            # source
            if looks and mind.idle and mind.source is not None and self._waits(body):
                mind.stands = float(own["heading"]) + self.seen(body, *mind.source.place)[1]
            drift = float(rot.wrap_angle(mind.stands - own["heading"])) if mind.idle else 0.0
            own["steer"] = min(max(0.1 * drift, -_SETTLING_SPEED), _SETTLING_SPEED)
        if own["cursor"] + 0.5 < mind.stop:
            return
        if mind.mode in DOWN and mind.following:
            self._go_on_rising(body)
            return
        if mind.mode == LYING:
            if own["rate"] == 0.0 and mind.rests is None:
                mind.rests = self.lying()[sum(one.mode in DOWN for one in self.minds[:body])]
            own["rate"] = 0.0
            return
        if mind.mode in (TARGET, RISING):
            mind.posture = self.repertoire.posture_like(mind.stop)
            mind.mode, mind.target = WALKING, None
            own["steer"], own["stretch"], own["rate"] = 0.0, 1.0, 1.0
            own["free"] = 0.0
        before = mind.level
        move, mind.level = self._choose(body)
        if mind.level != before:
            mind.raised = self.tick
        self._begin(body, move)

    def _go_on_rising(self, body: int) -> None:
        """Lie for a while and get up, as it was recorded after the fall."""
        mind, library = self.minds[body], self.repertoire.library
        action = mind.following.pop(0)
        if library.tags[action].kind == "rise":
            mind.mode = RISING
        first, last = int(library.actions.start[action]), int(library.actions.stop[action])
        if not mind.following:
            last = self.repertoire.leave_well(first, last)
        self._play(body, first, last, action, FORCED)

    def _get_ready(self, body: int, technique: str) -> None:
        """Let the reference posture that was prepared for give way to another one, bit by bit."""
        mind = self.minds[body]
        if mind.reference != technique:
            mind.reference, mind.changing = technique, round(_CHANGING_SECONDS * self.fps)
        if mind.changing > 0:
            self.bodies.prepare_for(body, *self._references[technique], 1.0 / mind.changing)
            mind.changing -= 1

    def _waits(self, body: int) -> bool:
        """Whether a character is at the place of launch for its source."""
        _, left, angle = self.nearest(body)
        return left <= self.controller.reach and abs(angle) < _AHEAD_ANGLE

    def _rise(self, body: int) -> None:
        """A walker that stands at the place of launch goes up to the highest level, one at a time."""
        mind = self.minds[body]
        if self.tick - mind.raised < _LEVEL_SECONDS * self.fps or mind.level >= kernels.LEVELS - 1:
            return
        source, left, angle = self.nearest(body)
        if source is not None and left <= CLOSE and abs(angle) < _FACING_ANGLE:
            mind.level += 1
            mind.raised = self.tick

    def _choose(self, body: int) -> tuple[int, int]:
        """The next move and its level."""
        mind, reach = self.minds[body], self.controller.reach
        mind.source, left, bearing = self.nearest(body) if mind.controlled else (None, NOTHING_NEAR, 0.0)
        goal, angle = (0.0, 0.0) if mind.goal is None else self.seen(body, *mind.goal)
        on_source = mind.source is not None and self._heads_for(body, mind.source)
        if mind.source is not None:
            # two who walk towards each other would otherwise meet too near to strike
            left = max(left - _MOVE_SECONDS * max(mind.source.closing, 0.0), 0.0)
        if on_source:
            goal = left
        round_it = self._way_round(body)
        if round_it is not None:
            goal, angle = self.seen(body, *round_it)
        # an approaching source will soon be here
        soon = 0.0
        if mind.source is not None:
            soon = (_FORESIGHT - _MOVE_SECONDS) * max(mind.source.closing, 0.0)
        swing = float(self.repertoire.gaits.posture_heading[mind.posture])
        best = self.controller.choose(
            mind.posture,
            mind.level,
            (goal, angle - swing),
            (max(left - soon, 0.0), bearing - swing),
            self._has_room(body),
        )
        higher = min(mind.level + 1, kernels.CHOICES - 1)
        # a source may lie beside the way: then the character does not stop for it
        on_the_way = on_source or abs(float(rot.wrap_angle(angle - bearing))) < _WAY_ANGLE
        if round_it is not None:
            return best
        if mind.source is not None and left <= reach and mind.goal is not None and on_the_way:
            # at the source: the last bit of the way, more and more prepared, and there up to the highest
            # level
            if abs(rot.wrap_angle(bearing - swing)) > _FACING_ANGLE:
                level = max(mind.level - 1, 0)
                return self._nearer(body, mind.source, level, turning=2.0), level
            if left <= CLOSE:
                return self._idle(mind.posture), mind.level
            return self._nearer(body, mind.source, higher), higher
        if mind.goal is None or goal <= reach:
            level = best[1] if mind.source is not None else max(mind.level - 1, 0)
            return self._idle(mind.posture), level
        return best

    def _way_round(self, body: int) -> tuple[float, float] | None:
        """The first place to walk to if a body lies on the way to the goal."""
        mind = self.minds[body]
        if mind.goal is None or all(one.mode not in DOWN for one in self.minds):
            return None
        goal = np.array(mind.goal)
        first = way_round(self.bodies.state.bodies["place"][body], goal, self.lying())
        return None if first is goal else (float(first[0]), float(first[1]))

    def _nearer(self, body: int, source: Source, level: int, turning: float = 0.2) -> int:
        """The move after which a source is best launched at: as far away as that needs, and straight ahead.

        Metres and radians are weighed.
        """
        place, apart = source.place, self.repertoire.find(source.technique).range
        gaits, mind = self.repertoire.gaits, self.minds[body]
        distance, angle = self.seen(body, *place)
        distance = max(distance - _MOVE_SECONDS * max(source.closing, 0.0), 0.0)
        goal = distance * np.array([np.sin(angle), np.cos(angle)])
        moves = np.arange(gaits.move_indptr[mind.posture], gaits.move_indptr[mind.posture + 1])
        travel = gaits.travel[moves, level]
        away = np.linalg.norm(goal - travel[:, :2], axis=1)
        turned = angle - travel[:, 2] - gaits.posture_heading[gaits.move_end[moves]]
        return int(moves[np.argmin(np.abs(away - apart) + turning * np.abs(rot.wrap_angle(turned)))])

    def _idle(self, posture: int) -> int:
        gaits = self.repertoire.gaits
        if gaits.idle[posture] >= 0:
            return int(gaits.idle[posture])
        moves = np.arange(gaits.move_indptr[posture], gaits.move_indptr[posture + 1])
        return int(moves[np.argmin(np.linalg.norm(gaits.travel[moves, 0, :2], axis=1))])

    def _begin(self, body: int, move: int) -> None:
        """Start a move."""
        gaits, library = self.repertoire.gaits, self.repertoire.library
        mind, action = self.minds[body], int(self.repertoire.gaits.move[move])
        idle = move == self._idle(mind.posture)
        if idle and not mind.idle:
            mind.stands = float(self.bodies.state.bodies["heading"][body])
        mind.move, mind.posture, mind.idle = move, int(gaits.move_end[move]), idle
        self._play(
            body, int(library.actions.start[action]), int(library.actions.stop[action]), action, CHOSEN
        )

    def _play(self, body: int, first: int, last: int, action: int, cause: str) -> None:
        """Show the library from a frame on."""
        mind, own, model = self.minds[body], self.bodies.state.bodies[body], self.repertoire.model
        if round(float(own["cursor"])) != first:
            self._joins[body].append(self.tick)
        self.bodies.go_on(body, first)
        mind.stop = last
        yaw = float(rot.wrap_angle(own["heading"] - model.heading[first]))
        x, _, z = model.root[first]
        turned = rot.rotate(rot.from_yaw(yaw), [x, 0.0, z])
        placement = Placement(float(own["place"][0] - turned[0]), float(own["place"][1] - turned[2]), yaw)
        mind.placed.append(Placed(action, first, self.tick, self.tick + last - first, placement, cause))

    # --- target motions

    def launch(self, body: int, technique: str) -> None:
        """Start a target motion out of any motion, towards the nearest thing that it is for."""
        mind, own = self.minds[body], self.bodies.state.bodies[body]
        if mind.mode != WALKING:
            return  # one thing at a time
        target = self.repertoire.find(technique)
        able = [source for source in self.sources(body) if source.technique == technique]
        mind.aim = min(able, key=lambda source: self.seen(body, *source.place)[0], default=None)
        mind.mode, mind.target, mind.level, mind.idle = TARGET, target, 0, False
        mind.launched, mind.prepared, mind.reference = self.tick, float(self.levels[body]), ""
        self._wanted[body] = 0.0
        self.bodies.take_as_shown(body)
        self.bodies.face(body, target.aim)
        self._play(body, target.reference, target.stop, target.action, CHOSEN)
        going = 1.0 - prepared_pose.weight(float(self.levels[body]), float(self.repertoire.model.curve[0]))
        own["rate"] = max(going, 0.05)
        self.events.append(Event(self.tick, "launch", body, what=technique))

    def _guide(self, body: int) -> None:
        """Bring a target motion up to speed, and to its aim."""
        mind, own, model = self.minds[body], self.bodies.state.bodies[body], self.repertoire.model
        target = mind.target
        assert target is not None
        own["rate"] = min(own["rate"] + 1.0 / (_STARTING_SECONDS * self.fps), 1.0)
        cursor = float(own["cursor"])
        own["steer"], own["stretch"] = 0.0, 1.0
        own["free"] = float(cursor < target.finish)
        steered = self._steered_until(target)
        if mind.aim is not None and cursor < steered:
            frame = int(cursor)
            way = self._seen_in(frame, model.root[target.effect])
            whole = self._seen_in(frame, self._effects[target.technique])
            distance, angle = self.seen(body, *mind.aim.place)
            miss = float(rot.wrap_angle(angle - np.arctan2(*whole)))
            left = max(steered - cursor, 1.0)
            own["steer"] = float(np.clip(miss / min(left, 12.0), -_STEERING_SPEED, _STEERING_SPEED))
            if way[1] > 0.1:
                rest = np.hypot(*self._seen_in(frame, model.root[steered]))
                needed = 1.0 + (distance - np.hypot(*whole)) / max(rest, 0.1)
                own["stretch"] = float(np.clip(needed, *_STRETCH_LIMITS))
        passed = cursor >= target.effect > cursor - float(own["rate"])
        if passed:
            number = -1 if mind.aim is None else mind.aim.number
            self.events.append(Event(self.tick, "effect", body, number, what=target.technique))
        if cursor >= target.finish and mind.controlled:
            self._look_ahead(body, target)

    def _steered_until(self, target: TargetMotion) -> int:
        """The frame until which a target motion can be steered: not in the air, and not on all fours."""
        return target.effect if self._strikes(target) else target.movement

    def _strikes(self, target: TargetMotion) -> bool:
        """Whether a target motion hits something."""
        first, last = self.repertoire.library.actions.strike_start[target.action : target.action + 2]
        return bool(last > first)

    def _effect(self, target: TargetMotion) -> np.ndarray:
        """(3,) metres, where a target motion takes effect, in its recording."""
        model, (aside, ahead) = self.repertoire.model, target.launch
        turned = rot.rotate(rot.from_yaw(model.heading[target.reference]), [aside, 0.0, ahead])
        return model.root[target.reference] + turned

    def _seen_in(self, frame: int, place: np.ndarray) -> np.ndarray:
        """(2,) metres aside and ahead of a recorded pelvis, of a place in its recording."""
        model = self.repertoire.model
        seen = rot.rotate(rot.from_yaw(-model.heading[frame]), place - model.root[frame])
        return np.array([seen[0], seen[2]])

    def _look_ahead(self, body: int, target: TargetMotion) -> None:
        """While a target motion runs out, its end already prepares for the next source."""
        mind = self.minds[body]
        source, left, bearing = self.nearest(body)
        if source is None or left >= NOTHING_NEAR or (mind.aim and source.number == mind.aim.number):
            return
        mind.source = source
        self._get_ready(body, source.technique)
        if (self.tick % round(0.25 * self.fps)) == 0:
            state = (self.repertoire.posture_like(target.stop), mind.level)
            # the goal may still be the last source: the next one is where it goes
            mind.level = self.controller.choose(*state, (left, bearing), (left, bearing))[1]

    def strike_down(self, body: int, blow: float = np.pi) -> None:
        """Let a character fall, and get up again if the recording continues that way.

        `blow` is where the blow drives it, in radians from its heading.
        """
        action, first = self.repertoire.fall(blow)
        mind, library = self.minds[body], self.repertoire.library
        if action < 0 or mind.mode in DOWN:
            return
        mind.mode, mind.level, mind.target, mind.rests = LYING, 0, None, None
        mind.following = self.repertoire.after_fall(action)
        self._wanted[body] = 0.0  # the prepared posture stays in the pose of the hit
        own = self.bodies.state.bodies[body]
        own["stretch"], own["rate"], own["free"] = 1.0, 1.0, 0.0
        self.bodies.state.bodies["steer"][body] = 0.0
        self.bodies.take_as_shown(body)
        self.bodies.face(body, self._free_fall(body, first, int(library.actions.stop[action])))
        self._play(body, first, int(library.actions.stop[action]), action, FORCED)

    def react(self, body: int, action: int) -> None:
        """Let a character react to a lighter blow with an action, and walk on."""
        mind, library = self.minds[body], self.repertoire.library
        if mind.mode in DOWN:
            return
        mind.mode, mind.level, mind.target, mind.rests, mind.following = RISING, 0, None, None, []
        self._wanted[body] = 0.0
        own = self.bodies.state.bodies[body]
        own["stretch"], own["rate"], own["free"], own["steer"] = 1.0, 1.0, 0.0, 0.0
        self.bodies.take_as_shown(body)
        first = int(library.actions.start[action])
        last = self.repertoire.leave_well(first, int(library.actions.stop[action]))
        self._play(body, first, last, action, FORCED)

    def _free_fall(self, body: int, first: int, last: int) -> float:
        """Radians by which to spin a character, so that it falls on no other."""
        library, bodies = self.repertoire.library, self.bodies.state.bodies
        ends = library.positions[last, [library.skeleton.joint(part) for part in ("head", "left_foot")]]
        lies = np.array([self._seen_in(first, end) for end in ends])
        others = [np.stack([place, place]) for one, place in enumerate(bodies["place"]) if one != body]
        taken = [
            *self.lying(), *(one for one, mind in zip(others, self._others(body)) if mind.mode not in DOWN)
        ]  # fmt: skip
        for spin in _FALL_SPINS:
            turned = rot.rotate(
                rot.from_yaw(float(bodies["heading"][body]) - spin),
                np.column_stack([lies[:, 0], np.zeros(2), lies[:, 1]]),
            )[:, [0, 2]]
            if all(gap(bodies["place"][body] + turned, one) > BESIDE for one in taken):
                return spin
        return 0.0

    def _others(self, body: int) -> list[Mind]:
        return [mind for one, mind in enumerate(self.minds) if one != body]

    # --- the whole of it

    def timeline(self, words: dict[str, object]) -> tuple[Timeline, list[Walk]]:
        """The timeline of all characters, and their clips."""
        library, ticks = self.repertoire.library, len(self._history) - 1
        if ticks < 1:
            raise RandoriError("nothing has happened yet: step it first")
        tracks, walks = [], []
        history = [self._history.column(number) for number in (0, 1, 3)]
        for body, mind in enumerate(self.minds):
            placed = _without_gaps(mind.placed, ticks)
            tracks.append(Track(f"character {body + 1}", library, placed, outfit=body))
            walks.append(self._walk(body, *(column[:, body] for column in history)))
        # the aim of an effect has a number of the scene, which need not be a character's
        events = tuple(replace(event, whom=-1) if event.kind == "effect" else event for event in self.events)
        return Timeline(self.fps, ticks, tuple(tracks), events, (), words), walks

    def _walk(self, body: int, root: np.ndarray, rotations: np.ndarray, frame: np.ndarray) -> Walk:
        """One character's clip, with the frames that it shows and those it is drawn towards."""
        library = self.repertoire.library
        base = library.clip(int(frame[0]), int(frame[0]), f"character {body + 1}")
        contacts = library.frames.contacts[frame]
        joins = np.array([tick for tick in self._joins[body] if 0 < tick < len(frame)], dtype=np.int64)
        blended = np.full(len(frame), -1, dtype=np.int64)
        for join in joins:
            blended[join : join + round(prepared_pose.JOIN * self.fps)] = frame[join - 1]
        clip = base.with_frames(np.ascontiguousarray(root), rot.unroll(rotations))
        return Walk(clip, np.ascontiguousarray(frame), blended, joins, contacts)

    @property
    def shown_levels(self) -> np.ndarray:
        """(T, N) the smoothed levels of preparation, tick by tick."""
        return self._history.column(2)


def _without_gaps(placed: Sequence[Placed], ticks: int) -> tuple[Placed, ...]:
    """Each step ends where the next one starts; a step that was replaced in its first tick is left out."""
    rows = []
    for one, following in zip(placed, [*placed[1:], None]):
        stop = ticks if following is None else following.start
        if stop > one.start and one.start < ticks:
            rows.append(Placed(one.action, one.first, one.start, stop, one.placement, one.cause))
    return tuple(rows)
