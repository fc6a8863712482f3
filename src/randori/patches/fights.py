"""Scenes of fights: one against many, and pairs that fight on and on."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from randori.errors import RandoriError
from randori.graph.places import compose, inverse
from randori.motion import rotations as rot
from randori.patches.compose import (
    NO_WISH,
    OTHER_STANCE,
    SOON,
    STANDING_FACTOR,
    Chosen,
    Composer,
    Usage,
    Wish,
)
from randori.patches.feints import Feints
from randori.patches.novelty import ACTION_WINDOW, SHORT_WINDOW
from randori.patches.prepared import Prepared
from randori.patches.recycling import condition, nearest, standard_poses
from randori.patches.stage import State, to_row
from randori.timeline.timeline import Placed

AHEAD = 3.5  # seconds for which the hero's plan is known in advance: the time that partners have to come
RINGS = (1.9, 2.9)  # metres from the hero at which the next opponents wait, and the others
_NEXT_OPPONENTS = 3  # opponents
_NEAR, _ASKEW = 0.4, np.deg2rad(25.0)  # close enough to the ring, and to a look at the hero
_REACH = 1.3  # metres to the next opponent
_HERO = 0
_APART, _HALF = 4.2, 0.6  # metres between pairs, and from the middle of one
_ROOM_TO_RISE = 1.6  # metres to a character that gets up: within reach of a feint as it rises
# preference for patches in which no character ends on the floor: it counts more than usage
_NO_FALL_PREFERENCE = 0.2
# preference for each second of a patch, and for each without a wait for it: getting to one takes as long
# as a short one lasts, and in a pair each has only one partner
_HERO_LASTING, _HERO_HURRY, _PAIR_LASTING, _PAIR_HURRY = 0.3, 1.1, 0.1, 1.1
# preference that the seed draws for each patch of the hero: half a second of his hurry
_HERO_DRAWN = 0.6
_PEACE, _STRIKING = 1.5, 0.4  # seconds without an attack, and the preference for one from then on
_OVERDUE_GROWTH = 0.3  # growth per further second, as a share of it
# preference for each second that a patch ends nearer to where many begin
_HERO_STANCE, _PAIR_STANCE = 0.6, 0.1
_FALL_INTERVAL = 60.0  # seconds from one fall of a pair to the next, as for a hero: getting up takes 5 s
_VARIETY_PREFERENCE = 0.08  # preference for techniques that were not used lately
_CIRCLING_ANGLE = 0.5  # radians that a character goes around another one while it waits
_VIEW_ANGLE = np.deg2rad(40.0)  # from the hero's direction of look
_CIRCLING_SHARE = 0.35  # share of the waiting time that is spent in this way
_TOUCHING_DISTANCE = 0.8  # metres within which two may touch
_PARTING_DISTANCE = 1.5  # metres to which a pair parts that found no patch
_ON_ITS_OWN = 1.8  # seconds for which one of a pair may be busy before its partner does more than wait
_AT_A_LOSS = 8  # times without a patch after which one that was played 10 s ago may return
_STUCK_TIMES = 3  # times without a patch
_HERO_WAYS = 12  # long ways to the hero that are looked at
_HERO_STRUCK, _HERO_FALLS = 7.0, 60.0  # seconds from one time that the hero is struck, or falls, to the next
_MOST_DOWN = 2  # opponents on the floor from which on patches without a fall are preferred
_FACING_TOLERANCE = np.deg2rad(10.0)  # radians within which the hero faces as commanded
_ARRIVAL_RADIUS = 0.5  # metres within which the hero is where the command sent it
_PATIENCE = 2.0  # seconds after which a command that could not be obeyed is forgotten
_LONGEST_WISH = 8.0  # seconds that going to a place, or turning, may take
_ROOM_BESIDE = 1.1  # metres from a character on the floor: nearer characters step aside
# seconds from one attack of the hero to the next at most, half a second below what people would call a lull
LONGEST_PEACE = 5.0
_LONG_FEINT_SECONDS, _QUICK_FEINT_SECONDS = (
    1.0,
    0.9,
)  # seconds of steps before a feint: with no patch, and instead of a walk
_FINDING_SECONDS = (
    2.5  # seconds before the end of the longest pause at which the hero takes more steps to an attack
)
_TOUCHING_SECONDS = 1.5  # seconds before it from which on these steps may touch others
_NEVER_TICK = 10**9  # ticks
_IDLE_WINDOW, _IDLE_SHARE = 15.0, 0.15  # of so many seconds, the hero may be idle for this share
_FEINTS = 0.3  # seconds without an attack after which the hero feints if no patch fits
_AHEAD_OF_HIM = np.deg2rad(50.0)  # within which a character that circles looks at the other one
# seconds without an attack after which only an attack will do, or a step that touches others
_LONGEST_PAUSE = 2.5
_STEPS_ASIDE = 1.5  # seconds that it takes to step aside
_LINGERING_SHARE = 0.5  # share of the falls after which a character stays on the floor for a while
# seconds for which a character lies until there is room to get up; then its neighbours give way
_LYING_TIME = 3.0
_TOPPLING_WAYS = 6  # ways to a place under a falling character


class Variety:
    """Recent usage of each technique and each pattern. Patches of one technique are many: their own
    usage does not keep it from coming again and again."""

    def __init__(self, composer: Composer):
        arrays, tags = composer.patches.arrays, composer.stage.library.tags
        steps = [
            tags[action].technique if tags[action].kind == "attack" else ""
            for action in arrays.step["action"].tolist()
        ]
        techniques = np.array(sorted(set(steps) - {""}))
        done = np.array(steps)[:, None] == techniques
        patterns = arrays.pattern[:, None] == np.unique(arrays.pattern)
        techniques_of = np.add.reduceat(done, arrays.step_start[:-1:2]) > 0
        # (K, N) 1 where a patch uses the technique
        self._kinds = tuple(kinds.T.astype(float, order="C") for kinds in (techniques_of, patterns))
        self._usages = tuple(Usage(len(kinds)) for kinds in self._kinds)
        self._taste: np.ndarray | None = None  # until something is used

    def use(self, number: int) -> None:
        """A patch is used."""
        self._taste = None
        for kinds, usage in zip(self._kinds, self._usages):
            for kind in np.flatnonzero(kinds[:, number]):
                usage.use(int(kind))

    def taste(self) -> np.ndarray:
        """(2 N,) preference for the parts of patches in which all is fresh."""
        if self._taste is not None:
            return self._taste
        fresh = np.zeros(self._kinds[0].shape[1])
        for kinds, usage in zip(self._kinds, self._usages):
            lately = usage.value / float(usage.value.max(initial=1.0))
            fresh += 1.0 - (kinds * lately[:, None]).max(axis=0, initial=0.0)
        self._taste = np.repeat(_VARIETY_PREFERENCE * fresh, 2)
        return self._taste


class Busy:
    """The time in which a hero or a pair was in patches and feints."""

    def __init__(self, fps: float):
        self._window = round(_IDLE_WINDOW * fps)
        self._spans: list[tuple[int, int]] = []  # ticks from and to

    def add(self, start: int, stop: int) -> None:
        self._spans.append((start, stop))

    def too_little(self, tick: int) -> bool:
        """Whether it was idle for too large a share of the last seconds."""
        since = tick - self._window
        self._spans = [span for span in self._spans if span[1] > since]
        busy = np.zeros(self._window, dtype=bool)
        for start, stop in self._spans:
            busy[max(start - since, 0) : max(stop - since, 0)] = True
        return bool(busy.sum() < min(tick, self._window) - _IDLE_SHARE * self._window)


class OneFightsMany:
    """A hero in the middle, opponents around. The hero is struck, too, and falls now and then. An opponent
    that it fells may take another one along. Felled opponents get up and come again."""

    def __init__(self, prepared: Prepared, seed: int, opponents: int = 7):
        if opponents < 1:
            raise RandoriError(f"one fights many: expected at least one opponent, got {opponents}")
        self.composer = Composer(prepared, seed)
        self.composer.hurry, self.composer.drawn = _HERO_HURRY, _HERO_DRAWN
        self.stage, self.wish = self.composer.stage, NO_WISH
        self._variety, self._novelty = Variety(self.composer), self.composer.novelty
        self._topple = Topple(self.composer)
        self._feints = Feints(self.composer)
        self._busy = Busy(self.stage.fps)  # in patches and feints of the hero
        self._last: Chosen | None = None
        falls, forced = _falls(self.composer), self.composer.forced
        self._somebody_falls = np.repeat(falls.reshape(-1, 2).any(axis=1), 2)
        self._unharmed, self._struck, self._felled = ~forced, forced & ~falls, forced & falls  # (2 N,) bool
        # (2 N,) bool: neither ends in the middle of a combination, whose next blow could meet any character
        on_feet = self.composer.locomotion.on_feet[self.composer.end_posture] | falls
        self._settled = np.repeat(on_feet.reshape(-1, 2).all(axis=1), 2) & _leads_back(self.composer)
        if not self._settled.any():
            self._settled[:] = True
        self._steered = False  # a hero with a command does not fall, because it could not obey
        self._last_struck, self._last_fell = (
            0,
            round(self.composer.rng.uniform(0.0, _HERO_FALLS) * -self.stage.fps),
        )
        self.composer.stand("hero", 0, (0.0, 0.0, 0.0))
        for number in range(opponents):
            angle = 2.0 * np.pi * (number + 0.3 * self.composer.rng.random()) / opponents
            away = RINGS[0] + 0.8 * self.composer.rng.random()
            place = away * np.sin(angle), away * np.cos(angle), angle + np.pi
            self.composer.stand(f"opponent {number + 1}", 1 + number, place)

    @property
    def names(self) -> list[str]:
        return [actor.name for actor in self.stage.actors]

    def obey(self, wish: Wish, now: int) -> None:
        """Take a command: cancel what the hero has not begun yet, and plan again."""
        self.wish, self._steered = replace(wish, since=now), True
        self.composer.break_off(_HERO, now, self.wish)

    def advance(self, now: int) -> None:
        """Plan until a tick, and a little further."""
        stage = self.stage
        horizon = now + round(AHEAD * stage.fps)
        for who in range(1, len(stage)):
            self._attend(who, now + 1)
        while stage.actors[_HERO].state.tick < horizon:
            self._lead()

    def _lead(self) -> None:
        """Plan the hero's next actions."""
        composer, locomotion, stage = self.composer, self.composer.locomotion, self.stage
        state = stage.actors[_HERO].state
        free = self._free(state.tick)
        self._set_due()
        if self.wish.word in ("move", "turn"):
            if not self._done():
                steps = locomotion.rise(state) or composer.step_anyway(_HERO, *self._goal(free), self.wish)
                stage.perform(_HERO, steps or locomotion.go_on(state))
                return
        elif self.wish.word:
            if self._obeys(free):
                self.wish = NO_WISH
                return
            self.wish = NO_WISH if state.tick > self.wish.since + _PATIENCE * stage.fps else self.wish
        if not self.wish.word and (self._engages(free) or self._feint(_LONG_FEINT_SECONDS)):
            return
        steps = locomotion.rise(state)
        if not steps:
            goal, facing = self._goal(free)
            if self.wish.word:
                steps = composer.hasten(_HERO, self.wish)
            else:
                steps = locomotion.step_to(
                    _HERO, goal, facing, dislike=composer.farness, likes=-STANDING_FACTOR * composer.stands
                )
                hemmed_in = not steps or composer.stands[steps[0].action]
                if hemmed_in and composer.peace(_HERO) > _LONGEST_PAUSE:
                    others = range(1, len(stage))
                    steps = locomotion.step_to(_HERO, goal, facing, others, composer.farness)
        stage.perform(_HERO, steps or locomotion.go_on(state))

    def _obeys(self, free: Sequence[int]) -> bool:
        """Obey the wish: in a patch in which it begins in time, or without a partner."""
        self.composer.taste = self._variety.taste()
        chosen = self.composer.engage(_HERO, free, self.wish, allowed=self._unharmed, least=0.5)
        if chosen is not None:
            self._used(chosen)
        return chosen is not None or self.composer.obey_alone(_HERO, self.wish)

    def _engages(self, free: Sequence[int]) -> bool:
        """The next patch: nothing that was played lately; now and then one in which the hero is struck."""
        composer, fps = self.composer, self.stage.fps
        tick = self.stage.actors[_HERO].state.tick
        allowed, taste = self._unharmed.copy(), self._variety.taste() + self._novelty.taste(_HERO, tick)
        peace = composer.peace(_HERO)
        if peace < _PEACE and tick - self._last_struck > _HERO_STRUCK * fps:
            allowed |= self._struck
            taste = taste + _NO_FALL_PREFERENCE * self._struck
        if peace < _PEACE and not self._steered and tick - self._last_fell > _HERO_FALLS * fps:
            allowed |= self._felled
            taste = taste + 2.0 * _NO_FALL_PREFERENCE * self._felled
        few = sum(self._lies(who) for who in range(1, len(self.stage))) < _MOST_DOWN
        taste = taste + _NO_FALL_PREFERENCE * (self._somebody_falls == few) + _HERO_LASTING * composer.lasts
        far = composer.farness[composer.end_posture]
        # getting to where many patches begin is idle time, as a wait for a partner is
        restless = self._busy.too_little(tick)
        stance = _HERO_HURRY if restless else _HERO_STANCE
        taste = taste - stance * far - 0.5 * _HERO_STANCE * far[composer.parts ^ 1]
        urge = _STRIKING * (peace > _PEACE) + _OVERDUE_GROWTH * max(peace - _PEACE, 0.0)
        composer.taste = taste + urge * composer.strikes
        allowed &= self._novelty.fresh(_HERO, tick) & self._settled
        if peace > _LONGEST_PAUSE:
            allowed &= composer.strikes
        chosen = composer.go_on_together(_HERO, self._last, allowed) if self._last is not None else None
        yielding = self._yielding(tick)
        chosen = chosen or composer.engage(
            _HERO,
            free,
            allowed=allowed,
            yielding=yielding,
            far_ways=_HERO_WAYS,
            latest_start=SOON,
            leads_on=self._leads_on,
        )
        if chosen is None and restless and self._feint(_QUICK_FEINT_SECONDS):
            return True
        chosen = chosen or composer.walk_and_engage(
            _HERO, free, allowed, yielding=yielding, leads_on=self._leads_on
        )
        chosen = chosen or composer.engage(_HERO, free, allowed=allowed, yielding=yielding, far_ways=0)
        if chosen is not None:
            self._used(chosen)
        return chosen is not None

    def _leads_on(self, chosen: Chosen) -> bool:
        """Whether the hero can go on at once with another patch; a struck hero need not."""
        composer, part = self.composer, 2 * chosen.number + chosen.role
        if composer.forced[part]:
            return True
        tick = self.stage.actors[_HERO].state.tick
        allowed = self._unharmed & self._novelty.fresh(_HERO, tick) & self._settled
        allowed[composer.parts // 2 == chosen.number] = False
        before = composer.remember(_HERO, *self._free(tick))
        self._set_due()
        found = composer.engage(
            _HERO,
            self._free(tick),
            allowed=allowed,
            yielding=self._yielding(tick),
            far_ways=0,
            latest_start=SOON,
        )
        if found is not None:
            composer.take_back(before)
        return found is not None

    def _set_due(self) -> None:
        """An attack of the hero is due before its longest pause is over; in any case within a second."""
        left = max(LONGEST_PEACE - self.composer.peace(_HERO), 1.0)
        due = self.stage.actors[_HERO].state.tick + round(left * self.stage.fps)
        self.composer.due = _NEVER_TICK if self.wish.word else due

    def _feint(self, within: float) -> bool:
        """An attack at an opponent that stands its ground, while no patch fits.

        The longer the hero has not attacked, the more he does for one: he takes more steps, and at last some
        that touch others.
        """
        composer, stage = self.composer, self.stage
        peace = composer.peace(_HERO)
        if peace < _FEINTS or self._lies(_HERO):
            return False
        others = [who for who in range(1, len(stage)) if not self._lies(who)]
        yielding = self._yielding(stage.actors[_HERO].state.tick)
        found = self._feints.put(_HERO, others, within, yielding)
        if not found and peace > LONGEST_PEACE - _FINDING_SECONDS:
            found = self._feints.put(_HERO, others, _FINDING_SECONDS, yielding, depth=3)
        if not found and peace > LONGEST_PEACE - _TOUCHING_SECONDS:
            found = self._feints.put(_HERO, others, _FINDING_SECONDS, range(1, len(stage)), depth=3)
        if not found:
            return False
        step = stage.actors[_HERO].steps[-1]
        self._busy.add(step.start, step.stop)
        return True

    def _used(self, chosen: Chosen) -> None:
        self._last = chosen
        part = 2 * chosen.number + chosen.role
        self._variety.use(chosen.number)
        self._novelty.play(_HERO, chosen.number, chosen.tick)
        begin = chosen.tick + int(self.stage.begin[part])
        self._busy.add(begin, self.stage.actors[_HERO].state.tick)
        if self._struck[part]:
            self._last_struck = chosen.tick
        if self._felled[part]:
            self._last_fell = chosen.tick
        falling = self.stage.actors[chosen.partner]
        if self.stage.library.tags[falling.steps[-1].action].kind == "fall":
            others = [who for who in self._free(falling.state.tick) if who != chosen.partner]
            self._topple.take_along(chosen.partner, others)

    def _lies(self, who: int) -> bool:
        return not self.composer.locomotion.on_feet[self.stage.actors[who].state.posture]

    def _done(self) -> bool:
        """Whether the hero stands or looks as commanded."""
        state = self.stage.actors[_HERO].state
        x, z, _ = state.place
        if self.wish.word == "move":
            done = np.hypot(x - self.wish.place[0], z - self.wish.place[1]) < _ARRIVAL_RADIUS
        else:
            done = abs(rot.wrap_angle(self.stage.facing(state) - self.wish.facing)) < _FACING_TOLERANCE
        late = state.tick > self.wish.since + _LONGEST_WISH * self.stage.fps
        self.wish = NO_WISH if done or late else self.wish
        return bool(done or late)

    def _goal(self, free: Sequence[int]) -> tuple[tuple[float, float], float]:
        """The goal and heading of the hero without a near opponent: towards the next one."""
        x, z, _ = self.stage.actors[_HERO].state.place
        if self.wish.word == "move":
            gx, gz = self.wish.place
            return (gx, gz), float(np.arctan2(gx - x, gz - z))
        if self.wish.word == "turn":
            return (x, z), self.wish.facing
        others = free or range(1, len(self.stage))
        there = np.array([self.stage.actors[who].state.place for who in others])
        # an opponent near, with room between the two
        crowd = self.stage.density(0.5 * (there[:, :2] + [x, z]), self.stage.actors[_HERO].state.tick, 1.0)
        nearest = there[np.argmin(np.hypot(there[:, 0] - x, there[:, 1] - z) + crowd)]
        facing = float(np.arctan2(nearest[0] - x, nearest[1] - z))
        return (nearest[0] - _REACH * np.sin(facing), nearest[1] - _REACH * np.cos(facing)), facing

    def _free(self, tick: int) -> list[int]:
        """The characters that are on their feet and can be called before a tick."""
        actors = self.stage.actors
        return [who for who in range(1, len(actors)) if actors[who].state.tick < tick and not self._lies(who)]

    def _yielding(self, tick: int) -> list[int]:
        """The characters that have nothing to do and have time to step aside before a tick."""
        soon = tick - _STEPS_ASIDE * self.stage.fps
        return [who for who in self._free(tick) if self.stage.actors[who].state.tick < soon]

    def _in_the_way(self, who: int) -> bool:
        """Whether a character that stays would be touched by the plans of others."""
        stage, state = self.stage, self.stage.actors[who].state
        if not self.composer.locomotion.can_wait[state.posture]:
            return False
        stays = stage.stretch([self.composer.locomotion.stand(state)])
        return not stage.clear(stays, [who], after=round(AHEAD * stage.fps))

    def _attend(self, who: int, until: int) -> None:
        """An opponent without a part gets up, keeps to its ring, looks at the hero and stays out of the
        way."""
        stage, locomotion = self.stage, self.composer.locomotion
        while stage.actors[who].state.tick < until:
            state = stage.actors[who].state
            if not locomotion.on_feet[state.posture]:
                rise(self.composer, who)
                continue
            x, z, _ = state.place
            hx, hz, _ = stage.actors[_HERO].state.place
            away = max(float(np.hypot(x - hx, z - hz)), 0.1)
            is_next = who in self._next()
            ring = RINGS[0] if is_next else RINGS[1]
            facing = float(np.arctan2(hx - x, hz - z))
            settled = abs(away - ring) < _NEAR and abs(rot.wrap_angle(stage.facing(state) - facing)) < _ASKEW
            around = facing
            looks = stage.facing(stage.actors[_HERO].state)
            behind = float(rot.wrap_angle(looks - facing - np.pi))
            if is_next and abs(behind) > _VIEW_ANGLE:  # the next opponents come round into the hero's view
                around, settled = facing + _CIRCLING_ANGLE * float(np.sign(behind)), False
            elif settled and self.composer.rng.random() < _CIRCLING_SHARE:
                around, settled = (
                    facing + _CIRCLING_ANGLE * float(self.composer.rng.choice([-1.0, 1.0])),
                    False,
                )
            goal = hx - ring * np.sin(around), hz - ring * np.cos(around)
            waits = bool(locomotion.can_wait[state.posture])
            if self._in_the_way(who):
                goal, settled = (hx - RINGS[1] * np.sin(facing), hz - RINGS[1] * np.cos(facing)), False
                ahead = round(AHEAD * stage.fps)
                if steps := locomotion.step_to(who, goal, facing, after=ahead):
                    stage.perform(who, steps)
                    continue
            lying = self._lying_near(who)
            if lying is not None:  # a character on the floor needs room to get up
                goal, settled = lying, False
            steps = [] if settled and waits else locomotion.step_to(who, goal, facing)
            if steps:
                stage.perform(who, steps)
            else:
                self.composer.rest(who)

    def _lying_near(self, who: int) -> tuple[float, float] | None:
        """A place away from a character on the floor nearby; None if there is none."""
        x, z, _ = self.stage.actors[who].state.place
        for other, actor in enumerate(self.stage.actors):
            ox, oz, _ = actor.state.place
            away = float(np.hypot(x - ox, z - oz))
            if other != who and self._lies(other) and away < _ROOM_BESIDE:
                scale = 2.0 * _ROOM_BESIDE / max(away, 0.1)
                return ox + scale * (x - ox), oz + scale * (z - oz)
        return None

    def _next(self) -> list[int]:
        """The opponents that come near first: they wait within reach of a few steps."""
        x, z, _ = self.stage.actors[_HERO].state.place
        away = self.stage.spots(self.stage.actors[_HERO].state.tick) - [x, z]
        order = np.argsort(np.hypot(away[:, 0], away[:, 1]), kind="stable").tolist()
        return [who for who in order if who != _HERO and not self._lies(who)][:_NEXT_OPPONENTS]


class Topple:
    """A falling character takes another one along: patches that begin with the fall of another patch."""

    def __init__(self, composer: Composer):
        self._composer, self._stage = composer, composer.stage
        arrays, tags = composer.patches.arrays, composer.stage.library.tags
        firsts = arrays.step_start[1::2]  # of the parts of the second character
        self._first = arrays.step["first"][firsts]
        self._before = inverse(arrays.place[firsts])
        actions = arrays.step["action"][firsts]
        falls = np.array([tags[action].kind == "fall" for action in actions.tolist()])
        falls &= (composer.start_posture[::2] >= 0) & composer.usable[::2]
        self._by_action = {
            int(action): np.flatnonzero((actions == action) & falls) for action in np.unique(actions[falls])
        }

    def take_along(self, who: int, others: Sequence[int]) -> bool:
        """One of some characters comes to where a felled one falls, and falls, too."""
        composer, stage = self._composer, self._stage
        step = stage.actors[who].steps[-1]
        numbers = self._by_action.get(step.action, np.zeros(0, dtype=np.int64))
        numbers = numbers[self._first[numbers] >= step.first]
        if len(numbers) == 0:
            return False
        before = self._before[numbers]
        places = compose(before, np.broadcast_to(to_row(step.placement), before.shape))
        ticks = step.start + self._first[numbers] - step.first - stage.begin[2 * numbers + 1]
        begins = composer.begin_places(2 * numbers, places)
        starts = ticks + stage.begin[2 * numbers]
        for other in others:
            state = stage.actors[other].state
            rooms = starts - state.tick
            near = np.hypot(begins[:, 0] - state.place[0], begins[:, 1] - state.place[1])
            rows = np.flatnonzero((rooms > 0) & (near < composer.locomotion.speed * rooms / stage.fps + 0.2))
            if len(rows) == 0:
                continue
            postures = composer.start_posture[2 * numbers[rows]]
            for depth in (2, 3):
                reached = composer.locomotion.reach(other, postures, begins[rows], rooms[rows], 0, depth)
                # rather one that was not played lately than the nearest
                there = numbers[rows[reached.which]]
                liked = composer.leaning[there] - composer.usage.value[there]
                for found in np.argsort(-liked, kind="stable")[:_TOPPLING_WAYS].tolist():
                    row = int(rows[reached.which[found]])
                    number, tick = int(numbers[row]), int(ticks[row])
                    way = composer.way(other, reached.actions[found].tolist(), int(starts[row]))
                    steps = [*way, *stage.steps_of(number, 0, places[row], tick)]
                    if stage.clear(stage.stretch(steps), [other, who]):
                        stage.perform(other, steps)
                        stage.tell(number, places[row], tick, (other, who))
                        composer.usage.use(number)
                        return True
        return False


def rise(composer: Composer, who: int, linger: bool = True) -> None:
    """One step of getting up; but a fallen character stays down for a while, and until there is room."""
    stage, locomotion = composer.stage, composer.locomotion
    actor = stage.actors[who]
    steps = locomotion.rise(actor.state)[:1]
    lying = [
        action
        for action in stage.graph.choices(actor.state.posture).tolist()
        if stage.library.tags[action].technique == "lie"
    ]
    down = bool(actor.steps) and stage.library.tags[actor.steps[-1].action].kind == "fall"
    since = next(
        (step.stop for step in actor.steps[::-1] if stage.library.tags[step.action].technique != "lie"), 0
    )
    patient = actor.state.tick - since < _LYING_TIME * stage.fps
    lingers = down and linger and composer.rng.random() < _LINGERING_SHARE
    if lying and (lingers or not steps or (patient and not stage.clear(stage.stretch(steps), [who]))):
        stage.perform(who, [locomotion.placed(lying[int(composer.rng.integers(len(lying)))], actor.state)])
    else:
        stage.perform(who, steps or locomotion.go_on(actor.state))


def _falls(composer: Composer) -> np.ndarray:
    """(2 N,) bool: parts after which the character lies on the floor, or cannot but fall."""
    stage, locomotion = composer.stage, composer.locomotion
    tags = stage.library.tags
    down = np.zeros(stage.stock.postures, dtype=bool)
    for posture in np.unique(composer.end_posture[composer.end_posture >= 0]).tolist():
        route = locomotion.rise(State(posture, (0.0, 0.0, 0.0), 0))
        down[posture] = any(tags[step.action].kind in ("fall", "rise") for step in route)
    return down[composer.end_posture] & (composer.end_posture >= 0)


def _leads_back(composer: Composer) -> np.ndarray:
    """(2 N,) bool: parts after which steps lead to a posture with many patches; all parts if none do.

    Other stances have few patches, and these end in the same stance: a character there would repeat itself.
    """
    near = composer.farness[composer.end_posture] < OTHER_STANCE
    return near if near.any() else np.ones_like(near)


def side_by_side(pairs: int) -> list[tuple[float, float, float]]:
    """The places of pairs, each face to face."""
    columns = max(round(np.sqrt(pairs)), 1)
    places = []
    for pair in range(pairs):
        row, column = divmod(pair, columns)
        for yaw in (2.4 * pair, 2.4 * pair + np.pi):
            places.append((_APART * column - _HALF * np.sin(yaw), _APART * row - _HALF * np.cos(yaw), yaw))
    return places


class TwoFight:
    """Pairs that fight on and on: patch after patch, or by way of a standard pose."""

    def __init__(
        self,
        prepared: Prepared,
        seed: int,
        pairs: int = 1,
        places: Sequence[Sequence[float]] | None = None,
        composer: Composer | None = None,
    ):
        """`places` are where all of them stand, x, z and yaw, pair after pair; or they stand side by side."""
        self.composer = composer or Composer(prepared, seed)
        self.composer.hurry = _PAIR_HURRY
        self.stage, self.wish = self.composer.stage, NO_WISH
        self._poses = standard_poses(prepared.patches)
        self._last: dict[int, Chosen] = {}
        self._failed: dict[int, int] = {}  # times in a row that a pair found no patch
        self._variety, self._feints = Variety(self.composer), Feints(self.composer)
        until = self.composer.until_attack + self.stage.begin  # in the patch's ticks; of either is enough
        self.composer.until_attack = until.reshape(-1, 2).min(axis=1).repeat(2) - self.stage.begin
        self._felled = _falls(self.composer)  # (2 N,) bool
        self._falls = self._felled.reshape(-1, 2).any(axis=1)  # (N,) bool: a character falls
        # (2 N,) bool: neither of the two ends in a stance that leads nowhere
        self._settled = np.repeat(_leads_back(self.composer).reshape(-1, 2).all(axis=1), 2)
        if not self._settled.any():
            self._settled[:] = True
        # the first character has a command and does not fall, because it could not obey
        self._steered = False
        self._fell: dict[int, int] = {}  # the tick in which a pair had a fall last
        self._busy: dict[int, Busy] = {}
        for who, place in enumerate(places or side_by_side(pairs)):
            self.composer.stand(f"fighter {who + 1}", who, place)
        ticks = [actor.state.tick for actor in self.stage.actors]
        self._known_until = np.minimum(ticks[::2], ticks[1::2])  # one per pair

    @property
    def names(self) -> list[str]:
        return [actor.name for actor in self.stage.actors]

    def obey(self, wish: Wish, now: int) -> None:
        """Take a command for the first character: cancel what it has not begun yet, and plan again."""
        self.wish, self._steered = replace(wish, since=now), True
        self.composer.break_off(0, now, self.wish)
        self._last.pop(0, None)
        self._known_until[0] = min(self.stage.actors[who].state.tick for who in (0, 1))

    def look_again(self, who: int) -> None:
        """A player took over one of a pair, or let it go: plan the pair from where both are now."""
        one = who // 2
        self._last.pop(2 * one, None)
        self._known_until[one] = min(self.stage.actors[k].state.tick for k in (2 * one, 2 * one + 1))

    def advance(self, now: int) -> None:
        """Plan until a tick."""
        actors, until = self.stage.actors, self._known_until
        for one in np.flatnonzero(until <= now + 1).tolist():
            while until[one] <= now + 1:
                self._go_on(2 * one)
                until[one] = min(actors[2 * one].state.tick, actors[2 * one + 1].state.tick)

    def _go_on(self, one: int) -> None:
        """Plan the next actions of a pair."""
        composer, stage, locomotion = self.composer, self.stage, self.composer.locomotion
        pair = (one, one + 1)
        composer.taste = self._taste(one)
        self._set_due(one)
        if one in self._last and self._together(one, self._last.pop(one)):
            return
        behind = min(pair, key=lambda who: (stage.actors[who].state.tick, who))
        down = [who for who in pair if not locomotion.on_feet[stage.actors[who].state.posture]]
        wish = self.wish if one == 0 else NO_WISH
        if wish.word in ("punch", "kick", "avoid") and 0 not in down and self._obeys(bool(down)):
            return
        if wish.word in ("move", "turn") and behind == 0 and 0 not in down:
            self._approach(pair, wish)
            return
        if behind in down:
            rise(composer, behind, linger=False)
            return
        later = max(pair, key=lambda who: (stage.actors[who].state.tick, who))
        ahead = stage.actors[later].state.tick - stage.actors[behind].state.tick
        if down or (not wish.word and ahead > _ON_ITS_OWN * stage.fps):
            # a feint keeps the partner at bay while this one gets up
            if not (self._peace(behind) > _PEACE and self._feint(behind, _LONG_FEINT_SECONDS)):
                self._circle(behind, down[0] if down else later)
            return
        other, chosen = 2 * one + 1 - later, None
        if not wish.word:
            allowed = self._allowed(one, later)
            chosen = composer.engage(
                later, [other], allowed=allowed, far_ways=0, latest_start=SOON, leads_on=self._leads_on
            )
            restless = self._busy_of(one).too_little(stage.actors[behind].state.tick)
            if chosen is None and restless and self._feint(behind, _QUICK_FEINT_SECONDS):
                return
            chosen = chosen or composer.walk_and_engage(later, [other], allowed, leads_on=self._leads_on)
            chosen = chosen or composer.walk_and_engage(
                other, [later], self._allowed(one, other), leads_on=self._leads_on
            )
            chosen = chosen or composer.engage(later, [other], allowed=allowed, far_ways=0)
        self._failed[one] = 0 if chosen is not None else self._failed.get(one, 0) + 1
        if chosen is not None:
            self._used(one, chosen)
            return
        if not wish.word and self._feint(behind, _LONG_FEINT_SECONDS):
            return
        self._approach(pair, wish)

    def _leads_on(self, chosen: Chosen) -> bool:
        """Whether a pair can go on at once with another patch; after a fall that is due it need not."""
        composer = self.composer
        if bool(np.take(self._falls, chosen.number)):
            return self._fall_is_due(min(chosen.partner, chosen.partner ^ 1))
        last = composer.patches.together_after(chosen.number)
        pair = chosen.partner, chosen.partner ^ 1
        one = min(pair)
        allowed = self._allowed(one, pair[1])
        allowed[composer.parts // 2 == chosen.number] = False
        before = composer.remember(*pair)
        later = max(pair, key=lambda who: (self.stage.actors[who].state.tick, who))
        found = composer.engage(later, [2 * one + 1 - later], allowed=allowed, far_ways=0, latest_start=SOON)
        if found is not None:
            composer.take_back(before)
        return found is not None or bool(allowed[2 * last["next"]].any())

    def _peace(self, who: int) -> float:
        """Seconds since the last attack of a character's pair."""
        return min(self.composer.peace(one) for one in (who, who ^ 1))

    def _set_due(self, one: int) -> None:
        """An attack of one of a pair is due before its longest pause is over; in any case within a second.

        A command comes first."""
        composer, fps = self.composer, self.stage.fps
        ticks = [self.stage.actors[who].state.tick for who in (one, one + 1)]
        last = max(tick - composer.peace(who) * fps for who, tick in zip((one, one + 1), ticks))
        due = max(last + LONGEST_PEACE * fps, max(ticks) + fps)
        composer.due = _NEVER_TICK if one == 0 and self.wish.word else round(due)

    def _feint(self, who: int, within: float) -> bool:
        """A feint of one of a pair; never two in a row."""
        if self.composer.peace(who) < _FEINTS:
            return False
        found = self._feints.put(who, [who ^ 1], within)
        if not found and self._peace(who) > LONGEST_PEACE - _FINDING_SECONDS:
            found = self._feints.put(who, [who ^ 1], _FINDING_SECONDS, depth=3)
        if not found:
            return False
        step = self.stage.actors[who].steps[-1]
        self._busy_of(min(who, who ^ 1)).add(step.start, step.stop)
        return True

    def _busy_of(self, one: int) -> Busy:
        return self._busy.setdefault(one, Busy(self.stage.fps))

    def _allowed(self, one: int, lead: int) -> np.ndarray:
        """(2 N,) bool: parts of one of a pair that were not played lately, and do not fell the steered."""
        window = ACTION_WINDOW if self._failed.get(one, 0) < _AT_A_LOSS else SHORT_WINDOW
        allowed = self._settled & self.composer.novelty.fresh(one, self.stage.actors[lead].state.tick, window)
        if self._steered and one == 0:
            allowed &= ~self._felled[self.composer.parts ^ int(lead != 0)]
        return allowed

    def _obeys(self, alone: bool) -> bool:
        """The first character obeys the wish: in a patch that begins in time, or alone."""
        composer, tick = self.composer, self.stage.actors[0].state.tick
        unharmed = ~composer.forced
        chosen = None if alone else composer.engage(0, [1], self.wish, allowed=unharmed, least=0.5)
        if chosen is not None:
            self._used(0, chosen)
        if chosen is not None or composer.obey_alone(0, self.wish):
            self.wish = NO_WISH
            return True
        if tick > self.wish.since + _PATIENCE * self.stage.fps:
            self.wish = NO_WISH
        return False

    def _taste(self, one: int) -> np.ndarray:
        """(2 N,) the preference of a pair: fresh techniques, and a fall now and then."""
        fresh = self.composer.novelty.taste(one, self.stage.actors[one].state.tick)
        rather = np.repeat(_NO_FALL_PREFERENCE * (self._falls == self._fall_is_due(one)), 2)
        return self._variety.taste() + fresh + rather + self._striking(one)

    def _fall_is_due(self, one: int) -> bool:
        """Whether a pair has not had a fall for a while."""
        return self.stage.actors[one].state.tick - self._fell.get(one, 0) > _FALL_INTERVAL * self.stage.fps

    def _striking(self, one: int) -> np.ndarray:
        """(2 N,) preference for long patches, and for an attack after a while without one."""
        composer = self.composer
        due = self._peace(one) > _PEACE
        leads_on = composer.farness[composer.end_posture].reshape(-1, 2).sum(axis=1).repeat(2)
        return _PAIR_LASTING * composer.lasts + _STRIKING * due * composer.strikes - _PAIR_STANCE * leads_on

    def _used(self, one: int, chosen: Chosen) -> None:
        self._last[one] = chosen
        ends = max(self.stage.actors[who].state.tick for who in (one, one + 1))
        self._busy_of(one).add(chosen.tick, ends)
        self._variety.use(chosen.number)
        self.composer.novelty.play(one, chosen.number, chosen.tick)
        if bool(np.take(self._falls, chosen.number)):
            self._fell[one] = chosen.tick

    def _together(self, one: int, last: Chosen) -> bool:
        """Continue a pair with each other, as the table says."""
        if self.wish.word and one == 0:
            return False
        lead = 2 * one + 1 - last.partner
        chosen = self.composer.go_on_together(lead, last, self._allowed(one, lead))
        if chosen is not None:
            self._used(one, chosen)
        return chosen is not None

    def _approach(self, pair: tuple[int, int], wish: Wish) -> None:
        """The character whose plan ends first takes a step towards the nearest standard pose."""
        stage, composer = self.stage, self.composer
        who = min(pair, key=lambda one: (stage.actors[one].state.tick, one))
        other = pair[0] + pair[1] - who
        mine, theirs = stage.actors[who].state, stage.actors[other].state
        pose = nearest(self._poses, condition(stage, mine, theirs))
        if self._failed.get(pair[0], 0) >= _STUCK_TIMES:  # nothing begins here: apart, and on to another one
            pose = self._poses[int(self.composer.rng.integers(len(self._poses)))]
            pose = pose._replace(distance=max(pose.distance, _PARTING_DISTANCE))
        if who == 0 and wish.word == "move":
            x, z = wish.place[0] - mine.place[0], wish.place[1] - mine.place[1]
            self._obeying(composer.step_anyway(who, wish.place, float(np.arctan2(x, z)), wish))
            self.wish = NO_WISH if np.hypot(x, z) < _ARRIVAL_RADIUS or self._late(wish) else wish
        elif who == 0 and wish.word == "turn":
            self._obeying(composer.step_anyway(who, mine.place[:2], wish.facing, wish))
            askew = rot.wrap_angle(stage.facing(stage.actors[0].state) - wish.facing)
            self.wish = NO_WISH if abs(askew) < _FACING_TOLERANCE or self._late(wish) else wish
        elif who == 0 and wish.word:
            self._obeying(composer.hasten(who, wish))
        else:
            self._step(who, other, pose.distance, pose.bearings[0])

    def _obeying(self, steps: list[Placed]) -> None:
        """The first character steps as commanded, or continues as it can."""
        state = self.stage.actors[0].state
        self.stage.perform(0, steps or self.composer.locomotion.go_on(state))

    def _late(self, wish: Wish) -> bool:
        """Whether a command to go to a place or to turn has taken long enough."""
        return self.stage.actors[0].state.tick > wish.since + _LONGEST_WISH * self.stage.fps

    def _step(self, who: int, other: int, distance: float, bearing: float) -> None:
        """A step to where the partner is at a given distance and bearing."""
        mine, theirs = self.stage.actors[who].state, self.stage.actors[other].state
        way = np.arctan2(theirs.place[0] - mine.place[0], theirs.place[1] - mine.place[1])
        apart = np.hypot(theirs.place[0] - mine.place[0], theirs.place[1] - mine.place[1])
        goal = theirs.place[0] - distance * np.sin(way), theirs.place[1] - distance * np.cos(way)
        # two that touch cannot step without touching: the step only has to lead apart
        lost = self._failed.get(min(who, other), 0) >= _STUCK_TIMES
        touches = apart < (distance if lost else min(distance, _TOUCHING_DISTANCE))
        self._go(who, goal, float(way - bearing), [other] if touches else [])

    def _circle(self, who: int, other: int) -> None:
        """A step around a partner that gets up, out of reach; but first a step to face it."""
        mine, theirs = self.stage.actors[who].state.place, self.stage.actors[other].state.place
        x, z = theirs[0] - mine[0], theirs[1] - mine[1]
        way = np.arctan2(x, z)
        askew = abs(rot.wrap_angle(float(way) - self.stage.facing(self.stage.actors[who].state)))
        if askew > _AHEAD_OF_HIM and np.hypot(x, z) > _ROOM_BESIDE:
            self._go(who, mine[:2], float(way))
            return
        around = way + _CIRCLING_ANGLE * (1.0 if who % 2 else -1.0)
        goal = theirs[0] - _ROOM_TO_RISE * np.sin(around), theirs[1] - _ROOM_TO_RISE * np.cos(around)
        self._go(who, goal, float(way))

    def _go(self, who: int, goal: Sequence[float], facing: float, touching: Sequence[int] = ()) -> None:
        """A step of a character to a place; it waits if there is none. An existing touch may go on."""
        stage, locomotion = self.stage, self.composer.locomotion
        wish = self.wish if who == 0 else NO_WISH
        steps = locomotion.step_to(who, goal, facing, dislike=self.composer.reluctance(wish))
        if not steps and touching:
            steps = locomotion.step_to(who, goal, None, touching)
        if steps:
            stage.perform(who, steps)
        else:
            self.composer.rest(who)
