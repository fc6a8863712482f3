"""A mouse runs through a crowd: people who see it leap aside and bump into others, who stumble."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from randori.graph.places import compose, inverse
from randori.motion import rotations as rot
from randori.motion.placement import Placement
from randori.patches import mouse
from randori.patches.alarm import Alarm
from randori.patches.compose import NO_WISH, STANDING_FACTOR, Composer, Usage, Wish, score
from randori.patches.fights import rise
from randori.patches.prepared import Prepared
from randori.patches.stage import Played, StageCharacter, State, to_place, to_row
from randori.timeline.timeline import Placed

AHEAD = 0.8  # seconds that the mouse's way is known in advance
PEOPLE = 25
_SPACING = 0.9  # metres between people in the crowd
SCATTER = 0.2  # metres that they are off their places in it
_MOUSE = 0
_NEAR, _ASKEW = 1.5, np.deg2rad(70.0)  # tolerance for the place of the mouse in a patch: nothing touches it
_BESIDE, _TURNED = 0.25, np.deg2rad(30.0)  # tolerance for the place of a person who is bumped into
_MOST_CALLED = 16  # people who run from the mouse in one of its runs
_TRIES = 30
_BUMP_PREFERENCE = 0.1  # preference for leaps that can end in a bump
_LEAP_PREFERENCE = 0.2  # preference for each metre that it leads away: a mere flinch is no panic
_FALL_TOLERANCE = 0.3  # metres that a person who falls after a bump may be farther off, while few are down
_MOST_DOWN = 4  # people on the floor at a time: getting up takes long
_AT_LEAST = 8  # ticks of standing about before something else begins
_FREE_SECONDS = 1.5  # seconds for which a person needs free room after a leap
_CHAIN = 2  # times that a push is passed on
_NOTICE_DISTANCE = 3.5  # metres from the mouse beyond which people ignore it
_MARGIN = 0.2  # metres around the crowd that the mouse still runs in
_ESCAPE_DISTANCE = 0.9  # metres from the way of the mouse within which a person has to get out of it
_LEAVING_PRICE = 6.0  # for each metre outside the crowd, the mouse would have to meet so many people there
_AGAIN_PRICE = 1.5  # for each recent run in the same direction, the mouse has to meet so many people more
_HEAD_START = 0.15  # seconds before the mouse arrives at which a person in its way has begun to leap
_FORESIGHT_SECONDS = 0.4  # seconds ahead that people see where the mouse runs
_SHORTEST_RUN = 10  # ticks of a run of the mouse, at least
_WALK = 3  # steps of a walk that are looked ahead: to start, walk and stop
_CALM_DISTANCE = 2.0  # metres from the mouse beyond which a person may go back to its place
_HOME = 0.6  # metres off their places in the crowd from which on people go back
_STANDS_TRIED = 6  # ways to stand that are tried
_LOOK_INTERVAL = 8  # ticks from one look around to the next


class Bump(NamedTuple):
    """A person who gets out of the way, and may bump into others."""

    who: int
    step: Placed


class Bumps(NamedTuple):
    """Patches in which a person is bumped into, all by the same action."""

    numbers: np.ndarray  # (K,) int64
    firsts: np.ndarray  # (K,) int64, the frame of the action that they begin with
    before: np.ndarray  # (K, 3) from where its recording goes to where the patch does


def rows(people: int) -> np.ndarray:
    """(N, 2) metres from the middle, where people stand at first, without SCATTER."""
    columns = int(np.ceil(np.sqrt(people)))
    row, column = np.divmod(np.arange(people), columns)
    return _SPACING * np.column_stack([column, row]) - 0.5 * _SPACING * (columns - 1)


class FleeingCrowd:
    """A crowd that stands about, and a mouse."""

    def __init__(self, prepared: Prepared, seed: int, people: int = PEOPLE):
        self.composer = Composer(prepared, seed)
        self.stage, self.wish = self.composer.stage, NO_WISH
        arrays, library = prepared.patches.arrays, prepared.graph.library
        actions = self.composer.first_action
        runs = actions[::2] - len(library)
        steady = self._steady(prepared)
        # patches by the run of the mouse; by the second character's action, where the first is no mouse
        self._runs = {run: np.flatnonzero((runs == run) & steady) for run in range(len(mouse.TURNS))}
        self._bumps: dict[int, Bumps] = {}
        for action in np.unique(actions[1::2][runs < 0]).tolist():
            numbers = np.flatnonzero((runs < 0) & (actions[1::2] == action))
            firsts = arrays.step["first"][arrays.step_start[2 * numbers + 1]]
            self._bumps[action] = Bumps(numbers, firsts, inverse(self.composer.first_place(2 * numbers + 1)))
        moved = self.composer.moved[1::2]
        self._leap = np.hypot(moved[:, 0], moved[:, 1])  # (N,) metres that the second gets away
        last = arrays.step["action"][arrays.step_start[1::2] - 1]
        falls = np.array([tags.kind == "fall" for tags in library.tags] + [False] * len(mouse.TURNS))
        self._falls = falls[last]  # (N,) bool: the first comes to lie
        self._after = round(_FREE_SECONDS * library.fps)
        self._ways = mouse.ways(library.fps)
        self._alarm = Alarm(self.composer)
        self._turned = Usage(len(mouse.TURNS))  # of the runs of the mouse: it does not run in circles
        self._mouse_ahead: dict[int, np.ndarray] = {}
        self._dislike = self.composer.locomotion.seconds_to(self.composer.locomotion.can_wait)
        columns = int(np.ceil(np.sqrt(people)))
        self._half = 0.5 * _SPACING * (columns - 1)
        begin = np.array([-self._half - 1.5, 0.3 * self._half, 0.5 * np.pi])
        self.stage.enter(StageCharacter("mouse", 0, State(-1, (0.0, 0.0, 0.0), 0), thing=1))
        self._place, self._now = begin, 0
        self._homes = rows(people)
        for number, middle in enumerate(self._homes):
            self._place_somebody(number, middle)

    def _place_somebody(self, number: int, middle: np.ndarray) -> None:
        """Add a person near a place, without a touch."""
        composer, rng, posture = self.composer, self.composer.rng, self.composer.hub()
        for _ in range(_TRIES):
            place = (*(middle + rng.uniform(-SCATTER, SCATTER, 2)), rng.uniform(-np.pi, np.pi))
            yaw = float(place[2] - self.stage.looking(np.array([posture]), np.zeros(1))[0])
            step = composer.locomotion.stand(State(posture, (place[0], place[1], yaw), 0))
            if self.stage.clear(self.stage.stretch([step])):
                break
        composer.stand(f"person {number + 1}", number, place, posture)

    def _steady(self, prepared: Prepared) -> np.ndarray:
        """(N,) bool: patches after which the second can go on without a fall."""
        arrays, tags, locomotion = (
            prepared.patches.arrays,
            prepared.graph.library.tags,
            self.composer.locomotion,
        )
        last = arrays.step["action"][arrays.step_start[2::2] - 1]
        steady = np.zeros(len(tags), dtype=bool)
        for action in np.unique(last).tolist():
            state = State(int(self.stage.stock.end_posture[action]), (0.0, 0.0, 0.0), 0)
            kinds = [tags[step.action].kind for step in locomotion.rise(state)]
            steady[action] = "fall" not in kinds or tags[action].kind == "fall"
        return steady[last]

    @property
    def names(self) -> list[str]:
        """All people, without the mouse."""
        return [actor.name for actor in self.stage.actors if not actor.thing]

    def obey(self, wish: Wish, now: int) -> None:
        """Take a command for the mouse: it turns at once, although people have begun to react."""
        self.wish = wish
        mouse_state = self.stage.actors[_MOUSE].state
        self._place = self.mouse_place(now + 1)
        steps = [step for step in self.stage.actors[_MOUSE].steps if step.start <= now]
        if steps and mouse_state.tick > now + 1:
            self.stage.actors[_MOUSE].steps[:] = steps
            self.stage.actors[_MOUSE].state = mouse_state._replace(tick=steps[-1].stop)
            self.stage.cut(_MOUSE, now + 1)

    def advance(self, now: int) -> None:
        """Plan until a tick."""
        self._now = now
        for who in range(1, len(self.stage)):
            while self.stage.actors[who].state.tick <= now + 1:
                self._attend(who)
        if now % _LOOK_INTERVAL == 0:
            self._look_around()
        while self.stage.actors[_MOUSE].state.tick <= now + round(AHEAD * self.stage.fps):
            self._run()

    def _free(self, who: int) -> int:
        """The tick from which on a person can do something else; a person who stands about can at once."""
        actor = self.stage.actors[who]
        last = actor.steps[-1]
        if self.stage.library.tags[last.action].technique == "stand":
            return max(last.start + _AT_LEAST, self._now + 1)
        return actor.state.tick

    def _attend(self, who: int) -> None:
        """A person with nothing to do gets up, reacts to the mouse, or stands about."""
        locomotion, state = self.composer.locomotion, self.stage.actors[who].state
        if not locomotion.on_feet[state.posture]:
            rise(self.composer, who)
        elif not locomotion.can_wait[state.posture]:
            here, facing = list(state.place[:2]), self.stage.facing(state)
            steps = self._go_back(who, state)
            steps = steps or locomotion.step_to(who, here, facing, dislike=self._dislike)
            self.stage.perform(who, steps or locomotion.go_on(state))
        elif steps := self._mind(who, state):
            self.stage.perform(who, steps)
        else:
            self._stand(who)

    def _mind(self, who: int, state: State) -> list[Placed]:
        """What a person who stands about does about the mouse; or it goes back to its place."""
        away = float(np.hypot(*(np.array(state.place[:2]) - self._coming(state.tick)).T).min())
        back = self._go_back(who, state) if away > _CALM_DISTANCE else []
        return back or self._alarm.mind(who, state, self._coming(state.tick), self._after)

    def _go_back(self, who: int, state: State) -> list[Placed]:
        """A step back to a person's place: without it the crowd scatters, and people no longer bump into
        others."""
        x, z = self._homes[who - 1]
        if np.hypot(state.place[0] - x, state.place[1] - z) < _HOME:
            return []
        mouse_x, mouse_z = self._coming(state.tick)[-1]
        facing = float(np.arctan2(mouse_x - state.place[0], mouse_z - state.place[1]))
        steps = self.composer.locomotion.step_to(
            who,
            (float(x), float(z)),
            facing,
            dislike=self._dislike,
            after=self._after,
            likes=-STANDING_FACTOR * self.composer.stands,
            depth=_WALK,
        )
        return [step for step in steps if not self.composer.stands[step.action]]

    def _look_around(self) -> None:
        """A person who stands about reacts to the mouse at once."""
        tick = self._now + 1
        for who in range(1, len(self.stage)):
            state = self.stage.actors[who].state
            if who in self.stage.led:
                continue
            if state.tick > tick >= self._free(who) and self.composer.locomotion.can_wait[state.posture]:
                steps = self._alarm.mind(who, state._replace(tick=tick), self._coming(tick), self._after)
                if steps:
                    self._begin(who, steps)

    def _coming(self, tick: int) -> np.ndarray:
        """(K, 2) metres, where the mouse will be from a tick on."""
        if tick not in self._mouse_ahead:
            ticks = tick + np.linspace(0.0, _FORESIGHT_SECONDS * self.stage.fps, 4).astype(int)
            self._mouse_ahead = {tick: np.array([self.mouse_place(int(one))[:2] for one in ticks])}
        return self._mouse_ahead[tick]

    def _stand(self, who: int) -> None:
        """Stand about for a while, without touching others if possible."""
        stage, state = self.stage, self.stage.actors[who].state
        for turn in range(_STANDS_TRIED):
            step = self.composer.locomotion.stand(state, turn)
            if stage.clear(stage.stretch([step]), [who]):
                break
        stage.perform(who, [step], state._replace(tick=step.stop))

    # -- the mouse ---------------------------------------------------------------------------------

    def _run(self) -> None:
        """Plan the next run of the mouse, and the people who get out of its way."""
        stage, library = self.stage, self.stage.library
        tick = stage.actors[_MOUSE].state.tick
        run, length = self._turn()
        frame = len(library.frames.clip) + run * self._ways.shape[1]
        place = self._place
        action = len(library) + run
        step = Placed(action, frame, tick, tick + length - 1, Placement(*to_place(place)))
        end = compose(self._ways[run][length - 1 : length], place[None])[0]
        stage.perform(_MOUSE, [step], State(-1, (0.0, 0.0, 0.0), step.stop))
        self._place = end
        self._frighten(run, place, tick)

    def _turn(self) -> tuple[int, int]:
        """The direction and length of the next run of the mouse. It obeys a command until that way leads away
        again; otherwise it runs to where most people are, looking two runs ahead."""
        wanted, runs, frames = self.wish, *self._ways.shape[:2]
        ways = np.array([compose(way, np.broadcast_to(self._place, way.shape)) for way in self._ways])
        if wanted.word in ("move", "turn"):
            facing = np.full(ways.shape[:2], wanted.facing)
            if wanted.word == "move":
                facing = np.arctan2(wanted.place[0] - ways[..., 0], wanted.place[1] - ways[..., 1])
            price = np.abs(rot.wrap_angle(ways[..., 2] - facing))[:, _SHORTEST_RUN:]
            nearest, last = np.unravel_index(np.argmin(np.round(price, 2)), price.shape)
            on = nearest == 0 or int(last) + _SHORTEST_RUN == frames - 1
            return int(nearest), frames if on else int(last) + _SHORTEST_RUN + 1
        people = self.stage.spots(self.stage.actors[_MOUSE].state.tick)[1:]
        quiet = np.array([min(self._quiet(people, run, then) for then in range(runs)) for run in range(runs)])
        drawn = 1.5 * self.composer.rng.random(runs)
        best = int(np.argmin(quiet + drawn + _AGAIN_PRICE * self._turned.value))
        self._turned.use(best)
        return best, frames

    def _quiet(self, people: np.ndarray, run: int, then: int) -> float:
        """Score two runs of the mouse: higher if they come close to few people, or if it leaves the crowd."""
        way = np.broadcast_to(self._place, self._ways[run].shape)
        first = compose(self._ways[run], way)
        second = compose(self._ways[then], np.broadcast_to(first[-1], way.shape))
        points = np.concatenate([first, second])[::_LOOK_INTERVAL, :2]
        near = np.hypot(*(people[:, None] - points[None]).transpose(2, 0, 1)).min(axis=1) < _ESCAPE_DISTANCE
        out = np.maximum(np.abs(points) - self._half - _MARGIN, 0.0).sum(axis=1).max()
        return _LEAVING_PRICE * float(out) - float(near.sum())

    def _frighten(self, run: int, place: np.ndarray, tick: int) -> None:
        """The people near the mouse get out of its way."""
        composer, stage = self.composer, self.stage
        numbers = self._runs[run]
        if len(numbers) == 0:
            return
        wanted = composer.first_place(2 * numbers)
        spots = stage.spots(tick)
        away = np.hypot(spots[:, 0] - place[0], spots[:, 1] - place[1])
        way = compose(self._ways[run], np.broadcast_to(place, self._ways[run].shape))
        called, early = 0, round(_HEAD_START * stage.fps)
        for who in np.argsort(away, kind="stable").tolist():
            if who == _MOUSE or who in stage.led or away[who] > _NOTICE_DISTANCE or called >= _MOST_CALLED:
                continue
            state = stage.actors[who].state
            fits = numbers[composer.start_posture[2 * numbers + 1] == state.posture]
            rows = np.isin(numbers, fits)
            if not len(fits):
                continue
            places = stage.put_after(2 * fits + 1, state)
            off = compose(wanted[rows], places)
            far = np.hypot(off[:, 0] - place[0], off[:, 1] - place[1])
            turned = np.abs(rot.wrap_angle(off[:, 2] - place[2]))
            begins = tick + stage.begin[2 * fits + 1]
            comes = np.hypot(way[:, 0] - spots[who, 0], way[:, 1] - spots[who, 1])
            late = tick + int(np.argmin(comes)) - early if comes.min() < _ESCAPE_DISTANCE else tick + len(way)
            usable = (far < _NEAR) & (turned < _ASKEW) & (begins >= self._free(who)) & (begins <= late)
            usable &= composer.novelty.fresh(who, tick)[2 * fits]
            taste = np.where(
                np.isin(composer.first_action[2 * fits + 1], list(self._bumps)), _BUMP_PREFERENCE, 0.0
            )
            taste += _LEAP_PREFERENCE * self._leap[fits] + composer.draw(2 * fits)
            chances = score(np.zeros(len(fits)), composer.usage.value[fits], taste)
            chances[~usable] = -1.0
            order = [row for row in np.argsort(-chances + far, kind="stable")[:_TRIES] if chances[row] >= 0.0]
            # prefer a leap onto another person to one into a gap
            turns = [(row, True) for row in order] + [(row, False) for row in order]
            called += any(self._flee(who, int(fits[row]), places[row], tick, onto) for row, onto in turns)

    def _flee(self, who: int, number: int, place: np.ndarray, tick: int, onto: bool) -> bool:
        """A person gets out of the way if possible: onto another person, or into a gap."""
        composer, stage = self.composer, self.stage
        steps = self._to_the_end(stage.steps_of(number, 1, place, tick))
        if not composer.locomotion.can_wait[stage.actors[who].state.posture]:
            return False
        bump = Bump(who, steps[0])
        stretch = stage.stretch(steps)
        found = self._bumped(bump, [who]) if onto else None
        if onto and found is None:
            return False
        touched = [] if found is None else [found[0]]
        if not stage.clear(stretch, [who, *touched], after=self._after):
            return False
        self._begin(who, steps)
        stage.played.append(Played(number, tick, (_MOUSE, who)))
        composer.novelty.play(who, number, tick)
        composer.usage.use(number)
        if found is not None:
            self._push(bump, *found, chain=_CHAIN)
        return True

    def _to_the_end(self, steps: list[Placed]) -> list[Placed]:
        """Some steps, and those that follow until the person stands again; after a fall, it first stays
        down."""
        if self.stage.library.tags[steps[-1].action].kind == "fall":
            return steps
        return steps + self.composer.locomotion.rise(self.stage.state_after(steps[-1]))

    def _begin(self, who: int, steps: list[Placed]) -> None:
        """A person stops standing about or waiting, and then does this."""
        self.stage.cut(who, steps[0].start)
        state = self.stage.actors[who].state
        self.stage.perform(who, self.composer.locomotion.wait(state, steps[0].start) + steps)

    # -- people who are bumped into ----------------------------------------------------------------

    def _bumped(self, bump: Bump, ignoring: Sequence[int]) -> tuple[int, int, np.ndarray, int] | None:
        """A person who stands where a patch has its pushed character: number, patch, place and tick."""
        composer, stage = self.composer, self.stage
        step = bump.step
        if step.action not in self._bumps:
            return None
        known = self._bumps[step.action]
        later = known.firsts >= step.first
        numbers, firsts, before = known.numbers[later], known.firsts[later], known.before[later]
        if len(numbers) == 0:
            return None
        places = compose(before, np.broadcast_to(to_row(step.placement), before.shape))
        ticks = step.start + firsts - step.first - stage.begin[2 * numbers + 1]
        begins = composer.begin_places(2 * numbers, places)
        starts = ticks + stage.begin[2 * numbers]
        possible: list[tuple[float, int, int]] = []
        fresh = composer.novelty.fresh(bump.who, step.start)
        rather = np.where(self._falls[numbers] & (self._down() < _MOST_DOWN), _FALL_TOLERANCE, 0.0)
        here = np.array([actor.state.place[:2] for actor in stage.actors])
        away = np.hypot(*(begins[:, None, :2] - here[None]).transpose(2, 0, 1)).min(axis=0)
        for who in np.flatnonzero(away < _BESIDE).tolist():
            state = stage.actors[who].state
            if (
                who == _MOUSE
                or who in ignoring
                or who in stage.led
                or not composer.locomotion.can_wait[state.posture]
            ):
                continue
            off = np.hypot(begins[:, 0] - state.place[0], begins[:, 1] - state.place[1])
            turned = np.abs(rot.wrap_angle(begins[:, 2] - state.place[2]))
            fits = (off < _BESIDE) & (turned < _TURNED) & (starts >= self._free(who))
            fits &= composer.start_posture[2 * numbers] == state.posture
            fits &= (composer.novelty.fresh(who, state.tick) & fresh)[2 * numbers]
            price = off + 0.3 * turned + 0.1 * composer.usage.value[numbers] - rather
            price -= composer.leaning[numbers]  # other seeds, other patches
            possible += [(float(price[row]), who, row) for row in np.flatnonzero(fits).tolist()]
        for _, who, row in sorted(possible)[:_TRIES]:
            number, tick = int(numbers[row]), int(ticks[row])
            stretch = stage.stretch(self._to_the_end(stage.steps_of(number, 0, places[row], tick)))
            if stage.clear(stretch, [who, bump.who], after=self._after):
                return who, number, places[row], tick
        return None

    def _down(self) -> int:
        """The number of characters that lie or fall."""
        on_feet = self.composer.locomotion.on_feet
        return sum(not actor.thing and not on_feet[actor.state.posture] for actor in self.stage.actors)

    def _push(self, bump: Bump, who: int, number: int, place: np.ndarray, tick: int, chain: int) -> None:
        """A person is bumped into, and may bump into the next."""
        composer, stage = self.composer, self.stage
        steps = stage.steps_of(number, 0, place, tick)
        self._begin(who, self._to_the_end(steps))
        stage.tell(number, place, tick, (who, bump.who))
        composer.usage.use(number)
        for one in (who, bump.who):
            composer.novelty.play(one, number, tick)
        further = Bump(who, steps[-1])
        found = self._bumped(further, [who, bump.who]) if chain > 0 else None
        if found is not None:
            self._push(further, *found, chain=chain - 1)

    # -- the mouse is seen -------------------------------------------------------------------------

    def mouse_place(self, tick: int) -> np.ndarray:
        """(3,) x, z in metres and yaw in radians of the mouse."""
        if not self.stage.actors[_MOUSE].steps:
            return self._place
        frame, place = self.stage.shown(_MOUSE, tick)
        row = frame - len(self.stage.library.frames.clip)
        return compose(self._ways.reshape(-1, 3)[[row]], place[None])[0]

    def mouse_way(self, ticks: int) -> np.ndarray:
        """(ticks + 1, 3) the same for all ticks."""
        return np.array([self.mouse_place(tick) for tick in range(ticks + 1)])
