"""Scenes of fights: one against many, two who fight on and on."""

from collections.abc import Sequence

import numpy as np

from randori.motion import rotations as rot
from randori.patches.compose import NO_WISH, Chosen, Composer, Usage, Wish, score
from randori.patches.prepared import Prepared
from randori.patches.recycling import condition, nearest, standard_poses
from randori.patches.stage import State

AHEAD = 3.5  # seconds that the hero's doings are known in advance: the time that partners have to come
RINGS = (1.9, 2.9)  # metres from the hero at which those wait who are next, and the others
_NEXT = 3  # opponents
_NEAR, _ASKEW = 0.4, np.deg2rad(25.0)  # off the ring, off looking at the hero: good enough
_REACH = 1.3  # metres to whoever is next
_HERO = 0
_APART, _HALF = 4.2, 0.6  # metres between pairs, and from the middle of one
_ROOM_TO_RISE = 2.2  # metres to somebody who lies
_RATHER = 0.2  # preference for what goes on without somebody on the floor: it counts more than usage
_SELDOM = 18.0  # seconds from one fall of a pair to the next
_VARIED = 0.08  # preference for techniques that were not used lately
_AROUND = 0.5  # radians that somebody goes around another one while waiting
_RESTLESS = 0.35  # of the waiting that is spent so
_TOUCHING = 0.8  # metres within which two may touch
_AGAIN = 1.5  # metres that two part to who found nothing to do
_STUCK, _FAR_WAYS = 3, 3  # times without a patch, and long ways that are looked at then
_TRIED = 12  # patches that both may go on with


class Variety:
    """How much each technique and each pattern was used lately. Patches of one technique are many: their own
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
        # (K, N) 1 for what is done in a patch
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
            lately = usage.value / max(float(usage.value.max()), 1.0)
            fresh += 1.0 - (kinds * lately[:, None]).max(axis=0)
        self._taste = np.repeat(_VARIED * fresh, 2)
        return self._taste


class OneFightsMany:
    """A hero in the middle, opponents around; who was felled gets up and comes again."""

    def __init__(self, prepared: Prepared, seed: int, opponents: int = 7):
        self.composer = Composer(prepared, seed)
        self.stage, self.wish = self.composer.stage, NO_WISH
        self._variety = Variety(self.composer)
        self.composer.stand("hero", 0, (0.0, 0.0, 0.0))
        for number in range(opponents):
            angle = 2.0 * np.pi * (number + 0.3 * self.composer.rng.random()) / opponents
            away = RINGS[0] + 0.8 * self.composer.rng.random()
            place = away * np.sin(angle), away * np.cos(angle), angle + np.pi
            self.composer.stand(f"opponent {number + 1}", 1 + number, place)

    @property
    def names(self) -> list[str]:
        return [actor.name for actor in self.stage.actors]

    def advance(self, now: int) -> None:
        """Plan so far that everything until a tick, and a little more, is known."""
        stage = self.stage
        horizon = now + round(AHEAD * stage.fps)
        for who in range(1, len(stage)):
            self._attend(who, now + 1)
        while stage.actors[_HERO].state.tick < horizon:
            self._lead(horizon)

    def _lead(self, horizon: int) -> None:
        """What the hero does next."""
        composer, locomotion, stage = self.composer, self.composer.locomotion, self.stage
        hero = stage.actors[_HERO]
        free = self._free(hero.state.tick)
        if self.wish.word == "move" and self._far_from(self.wish.place):
            chosen = None
        else:
            least = 0.5 if self.wish.word else 0.0
            composer.taste = self._variety.taste()
            chosen = composer.engage(_HERO, free, self.wish, (0,), unharmed=True, least=least)
            chosen = chosen or composer.engage(_HERO, free, roles=(0,), unharmed=True)
        if chosen is not None:
            self._variety.use(chosen.number)
            if self.wish.word != "move":
                self.wish = NO_WISH
            return
        steps = locomotion.rise(hero.state)
        if not steps:
            goal, facing = self._goal(free)
            steps = locomotion.step_to(_HERO, goal, facing, dislike=composer.dislike)
        if steps:
            stage.perform(_HERO, steps)
        else:
            composer.rest(_HERO)

    def _far_from(self, place: Sequence[float]) -> bool:
        x, z, _ = self.stage.actors[_HERO].state.place
        if np.hypot(x - place[0], z - place[1]) > 0.5:
            return True
        self.wish = NO_WISH
        return False

    def _goal(self, free: Sequence[int]) -> tuple[tuple[float, float], float]:
        """Where the hero goes and looks when there is nobody to fight: towards whoever is next."""
        x, z, _ = self.stage.actors[_HERO].state.place
        if self.wish.word == "move":
            gx, gz = self.wish.place
            return (gx, gz), float(np.arctan2(gx - x, gz - z))
        if self.wish.word == "turn":
            return (x, z), self.wish.facing
        others = free or range(1, len(self.stage))
        there = np.array([self.stage.actors[who].state.place for who in others])
        # somebody near, with room between the two
        crowd = self.stage.density(0.5 * (there[:, :2] + [x, z]), self.stage.actors[_HERO].state.tick, 1.0)
        nearest = there[np.argmin(np.hypot(there[:, 0] - x, there[:, 1] - z) + crowd)]
        facing = float(np.arctan2(nearest[0] - x, nearest[1] - z))
        return (nearest[0] - _REACH * np.sin(facing), nearest[1] - _REACH * np.cos(facing)), facing

    def _free(self, tick: int) -> list[int]:
        """Who stands about, and can be called before a tick."""
        actors = self.stage.actors
        return [
            who
            for who in range(1, len(actors))
            if actors[who].state.tick < tick and self.composer.locomotion.can_wait[actors[who].state.posture]
        ]

    def _attend(self, who: int, until: int) -> None:
        """Somebody who has nothing to do: gets up, keeps around the hero and looks there."""
        stage, locomotion = self.stage, self.composer.locomotion
        while stage.actors[who].state.tick < until:
            state = stage.actors[who].state
            if not locomotion.on_feet[state.posture]:
                rise(self.composer, who)
                continue
            x, z, _ = state.place
            hx, hz, _ = stage.actors[_HERO].state.place
            away = max(float(np.hypot(x - hx, z - hz)), 0.1)
            ring = RINGS[0] if who in self._next() else RINGS[1]
            facing = float(np.arctan2(hx - x, hz - z))
            settled = abs(away - ring) < _NEAR and abs(rot.wrap_angle(stage.facing(state) - facing)) < _ASKEW
            around = facing
            if settled and self.composer.rng.random() < _RESTLESS:
                around, settled = facing + _AROUND * float(self.composer.rng.choice([-1.0, 1.0])), False
            goal = hx - ring * np.sin(around), hz - ring * np.cos(around)
            waits = bool(locomotion.can_wait[state.posture])
            steps = [] if settled and waits else locomotion.step_to(who, goal, facing)
            if steps or not waits:
                stage.perform(who, steps or locomotion.line(locomotion.any_step(state), state))
            else:
                self.composer.rest(who)

    def _next(self) -> list[int]:
        """Those who come near first: they wait within reach of a few steps."""
        x, z, _ = self.stage.actors[_HERO].state.place
        away = self.stage.spots(self.stage.actors[_HERO].state.tick) - [x, z]
        order = np.argsort(np.hypot(away[:, 0], away[:, 1]), kind="stable").tolist()
        standing = self.composer.locomotion.on_feet
        return [who for who in order if who != _HERO and standing[self.stage.actors[who].state.posture]][
            :_NEXT
        ]


def rise(composer: Composer, who: int, linger: bool = True) -> None:
    """One step on the way up: but who lies stays there (for a while, if so), until there is room."""
    stage, locomotion = composer.stage, composer.locomotion
    actor = stage.actors[who]
    steps = locomotion.rise(actor.state)[:1]
    lying = [
        action
        for action in stage.graph.choices(actor.state.posture).tolist()
        if stage.library.tags[action].technique == "lie"
    ]
    down = actor.steps[-1].action >= 0 and stage.library.tags[actor.steps[-1].action].kind == "fall"
    if lying and ((down and linger) or not steps or not stage.clear(stage.stretch(steps), [who])):
        steps = [locomotion.placed(lying[int(composer.rng.integers(len(lying)))], actor.state)]
    stage.perform(who, steps)


def _somebody_falls(composer: Composer) -> np.ndarray:
    """(N,) bool: patches after which somebody lies on the floor, or cannot but fall."""
    stage, locomotion = composer.stage, composer.locomotion
    tags, arrays = stage.library.tags, composer.patches.arrays
    lasts = stage.stock.end_posture[arrays.step["action"][arrays.step_start[1:] - 1]]
    down = np.zeros(stage.stock.postures, dtype=bool)
    for posture in np.unique(lasts).tolist():
        route = locomotion.rise(State(posture, (0.0, 0.0, 0.0), 0))
        down[posture] = any(tags[step.action].kind in ("fall", "rise") for step in route)
    return down[lasts].reshape(-1, 2).any(axis=1)


def _side_by_side(pairs: int) -> list[tuple[float, float, float]]:
    """Where pairs stand, each face to face."""
    columns = max(round(np.sqrt(pairs)), 1)
    places = []
    for pair in range(pairs):
        row, column = divmod(pair, columns)
        for yaw in (2.4 * pair, 2.4 * pair + np.pi):
            places.append((_APART * column - _HALF * np.sin(yaw), _APART * row - _HALF * np.cos(yaw), yaw))
    return places


class TwoFight:
    """Pairs who fight on and on: patch after patch, or by way of a standard pose."""

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
        self.stage, self.wish = self.composer.stage, NO_WISH
        self._poses = standard_poses(prepared.patches)
        self._last: dict[int, Chosen] = {}
        self._failed: dict[int, int] = {}  # times in a row that a pair found no patch
        self._variety = Variety(self.composer)
        self._falls = _somebody_falls(self.composer)
        self._fell: dict[int, int] = {}  # the tick in which a pair had a fall last
        for who, place in enumerate(places or _side_by_side(pairs)):
            self.composer.stand(f"fighter {who + 1}", who, place)
        ticks = [actor.state.tick for actor in self.stage.actors]
        self._known_until = np.minimum(ticks[::2], ticks[1::2])  # of each pair

    @property
    def names(self) -> list[str]:
        return [actor.name for actor in self.stage.actors]

    def advance(self, now: int) -> None:
        """Plan so far that everything until a tick is known."""
        actors, until = self.stage.actors, self._known_until
        for one in np.flatnonzero(until <= now + 1).tolist():
            while until[one] <= now + 1:
                self._go_on(2 * one)
                until[one] = min(actors[2 * one].state.tick, actors[2 * one + 1].state.tick)

    def _go_on(self, one: int) -> None:
        """What a pair does next."""
        composer, stage, locomotion = self.composer, self.stage, self.composer.locomotion
        pair = (one, one + 1)
        composer.taste = self._taste(one)
        if one in self._last and self._together(pair, self._last.pop(one)):
            return
        behind = min(pair, key=lambda who: (stage.actors[who].state.tick, who))
        down = [who for who in pair if not locomotion.on_feet[stage.actors[who].state.posture]]
        if behind in down:
            rise(composer, behind, linger=False)
            return
        if down:
            self._circle(behind, down[0])
            return
        later = max(pair, key=lambda who: (stage.actors[who].state.tick, who))
        lead = one if self.wish.word and one == 0 else later
        other = 2 * one + 1 - lead
        wish = self.wish if lead == 0 else NO_WISH
        chosen = None
        if wish.word in ("", "punch", "kick", "avoid"):
            if wish.word:
                chosen = composer.engage(lead, [other], wish, least=0.5)
            stuck = self._failed.get(one, 0) >= _STUCK
            chosen = chosen or composer.engage(lead, [other], far_ways=_FAR_WAYS if stuck else 0)
            if chosen is None and stuck:
                chosen = composer.engage(other, [lead], far_ways=0)
        self._failed[one] = 0 if chosen is not None else self._failed.get(one, 0) + 1
        if chosen is not None:
            self._used(one, chosen)
            if lead == 0:
                self.wish = NO_WISH
            return
        self._approach(pair, wish)

    def _taste(self, one: int) -> np.ndarray:
        """(2 N,) what a pair likes: techniques that are fresh, and a fall now and then."""
        now = self.stage.actors[one].state.tick
        due = now - self._fell.get(one, 0) > _SELDOM * self.stage.fps
        return self._variety.taste() + np.repeat(_RATHER * (self._falls == due), 2)

    def _used(self, one: int, chosen: Chosen) -> None:
        self._last[one] = chosen
        self._variety.use(chosen.number)
        if self._falls[chosen.number]:
            self._fell[one] = chosen.tick

    def _together(self, pair: tuple[int, int], last: Chosen) -> bool:
        """Both go on with each other, as the table says."""
        composer, stage = self.composer, self.stage
        rows = composer.patches.together_after(last.number)
        if len(rows) == 0 or (self.wish.word and pair[0] == 0):
            return False
        lead = pair[0] + pair[1] - last.partner
        # who had the first role, and who the second
        roles = (lead, last.partner) if last.role == 0 else (last.partner, lead)
        states = [stage.actors[who].state for who in roles]
        usage, goes_on = composer.usage.value[rows["next"]], 2 * rows["next"] + rows["change"]
        liked = composer.preference(goes_on, states[0], NO_WISH) + composer.taste[goes_on]
        wanted = score(np.zeros(len(rows)), usage, liked)
        order = np.lexsort((composer.rng.random(len(rows)), -wanted))
        for _, number, change, after in rows[order][:_TRIED].tolist():
            parts = (2 * number + change, 2 * number + 1 - change)
            tick = last.tick + after
            place = stage.put_after(np.array([parts[0]]), states[0])[0]
            stretches = [stage.part(number, part % 2, place, tick) for part in parts]
            if any(stretch.start < state.tick for stretch, state in zip(stretches, states)):
                continue
            if all(stage.clear(stretch, pair) for stretch in stretches):
                for who, part, stretch in zip(roles, parts, stretches):
                    composer.hold(who, stretch.start)
                    stage.perform(who, stage.steps_of(number, part % 2, place, tick))
                by_role = roles if change == 0 else roles[::-1]
                stage.tell(number, place, tick, by_role)
                composer.usage.use(number)
                self._used(pair[0], Chosen(number, 0, place, tick, by_role[1]))
                return True
        return False

    def _approach(self, pair: tuple[int, int], wish: Wish) -> None:
        """Whoever is behind in time takes a step towards the nearest standard pose."""
        stage = self.stage
        who = min(pair, key=lambda one: (stage.actors[one].state.tick, one))
        other = pair[0] + pair[1] - who
        mine, theirs = stage.actors[who].state, stage.actors[other].state
        pose = nearest(self._poses, condition(stage, mine, theirs))
        if self._failed.get(pair[0], 0) >= _STUCK:  # nothing begins here: apart, and on to another one
            pose = self._poses[int(self.composer.rng.integers(len(self._poses)))]
            pose = pose._replace(distance=max(pose.distance, _AGAIN))
        if who == 0 and wish.word == "move":
            if np.hypot(mine.place[0] - wish.place[0], mine.place[1] - wish.place[1]) < 0.5:
                self.wish = NO_WISH
            self._go(who, wish.place, stage.facing(mine))
        elif who == 0 and wish.word == "turn":
            self.wish = NO_WISH
            self._go(who, mine.place[:2], wish.facing)
        else:
            self._step(who, other, pose.distance, pose.bearings[0])

    def _step(self, who: int, other: int, distance: float, bearing: float) -> None:
        """A step to where the other is at a distance, seen at a bearing."""
        mine, theirs = self.stage.actors[who].state, self.stage.actors[other].state
        way = np.arctan2(theirs.place[0] - mine.place[0], theirs.place[1] - mine.place[1])
        apart = np.hypot(theirs.place[0] - mine.place[0], theirs.place[1] - mine.place[1])
        goal = theirs.place[0] - distance * np.sin(way), theirs.place[1] - distance * np.cos(way)
        # two who touch cannot step without touching: then it is enough that it leads apart
        self._go(who, goal, float(way - bearing), [other] if apart < min(distance, _TOUCHING) else [])

    def _circle(self, who: int, other: int) -> None:
        """A step around somebody who gets up, out of reach."""
        mine, theirs = self.stage.actors[who].state.place, self.stage.actors[other].state.place
        way = np.arctan2(theirs[0] - mine[0], theirs[1] - mine[1])
        around = way + _AROUND * (1.0 if who % 2 else -1.0)
        goal = theirs[0] - _ROOM_TO_RISE * np.sin(around), theirs[1] - _ROOM_TO_RISE * np.cos(around)
        self._go(who, goal, float(way))

    def _go(self, who: int, goal: Sequence[float], facing: float, touching: Sequence[int] = ()) -> None:
        """A step of somebody to a place; whoever cannot waits. Who is already touched may be."""
        stage, locomotion = self.stage, self.composer.locomotion
        state = stage.actors[who].state
        dislike = self.composer.dislike
        steps = locomotion.step_to(who, goal, facing, dislike=dislike)
        if not steps and touching:
            steps = locomotion.step_to(who, goal, None, touching)
        if steps:
            stage.perform(who, steps)
        elif locomotion.can_wait[state.posture]:
            self.composer.rest(who)
        else:
            stage.perform(who, locomotion.line(locomotion.any_step(state), state))
