"""Composition: which patch comes next, which characters take part, and how they get there.

A patch is chosen as in the paper. Patches that collide are ruled out; among the rest, the highest score wins:
S = 10 / (density + 1) + 1000 (1 - min(f, 1)) + 10000 preference. The seed draws among those that are nearly
as good. The patch is placed so that the leader continues exactly; locomotion brings the partner to its place.
A command cancels the plan from the end of the action that is under way.
"""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from typing import Any, NamedTuple

import numpy as np

from randori.errors import RandoriError
from randori.graph.csr import to_csr
from randori.motion import rotations as rot
from randori.patches.locomotion import GAITS, Locomotion
from randori.patches.novelty import ACTION_WINDOW, Novelty
from randori.patches.prepared import Prepared
from randori.patches.stage import Stage, StageCharacter, State, together
from randori.patches.striking import has_target
from randori.timeline.timeline import FORCED, Placed

DENSITY_WEIGHT, USAGE_WEIGHT, PREFERENCE_WEIGHT = 10.0, 1000.0, 10_000.0
FADING = 0.9  # share of its usage that a patch keeps whenever another one is used
_DENSITY_RADIUS = 2.0  # metres within which another character adds to the density
_TRIES, _WAYS = 28, 6  # patches that are tried, best first; and long ways to them
_NEWCOMERS = 60  # patches that are tried for a character who enters
_LED_ON = 6  # patches that are put until one leads on to another
_MOST_WAYS = 2  # ways to the same patch
_TRIED_PARTNERS = 6  # partners that are tried, nearest first
_LATEST_SECONDS = 1.4  # seconds at most that the leading one waits for the partner
SOON = 0.25  # seconds that are no wait
_MOST_TOGETHER = 12  # patches that both may go on with
HURRY = 0.2  # preference for each second that the leading one does not wait
_RICH_SHARE = 0.4  # a posture is rich if it begins this share of the patches of the richest posture
_FINDING_SECONDS = 1.5  # seconds at most from the end of a patch to an attack that is due
_RECENT_STEPS = 24  # steps that are looked back for an attack
# seconds of steps to a posture with many patches, from which on a stance counts as a dead end
OTHER_STANCE = 2.0
_FEW_PARTS = 3  # parts that must begin in a posture for it to be sought
_PUNCHES = ("jab", "straight", "hook", "uppercut", "backfist")
DRAWN = 0.3  # preference drawn by the seed for each patch, each time: three times the weight of usage
_LEANING_PREFERENCE = 0.3  # preference drawn by the seed for each patch once per take, so that seeds differ
_NEVER_TICK = 10**9  # ticks
STANDING_FACTOR = 1.5  # factor for seconds of standing, for a character that has to get somewhere
# a posture has enough steps if it has this share of the steps of the posture with the most
_ENOUGH_STEPS_SHARE = 0.25
_WORTH_WAITING = 0.4  # seconds until an action is left in a posture in which a command can begin
_ACTIONS_ALONE = 64  # actions that are tried without a partner
OBEY = 1.0  # seconds within which a character has to begin to obey a command
NEARER, TURNED_BY = 0.1, np.deg2rad(10.0)  # metres and radians that show that a command is obeyed


@dataclass(frozen=True)
class Wish:
    """A player's request to the leader."""

    word: str = ""  # punch, kick, avoid, move, turn; nothing
    place: tuple[float, float] = (0.0, 0.0)  # metres, for move
    facing: float = 0.0  # radians, for turn
    since: int = 0  # tick of the command


NO_WISH = Wish()


class Usage:
    """The usage of each patch: more by one with every use, a tenth less whenever another is used."""

    def __init__(self, patches: int):
        self.value = np.zeros(patches)
        self.total = 0

    def use(self, number: int) -> None:
        self.total += 1
        kept = self.value[number]
        self.value *= FADING
        self.value[number] = kept + 1.0


def score(density: np.ndarray, usage: np.ndarray, preference: np.ndarray) -> np.ndarray:
    """(K,) how much patches are wanted."""
    return (
        DENSITY_WEIGHT / (density + 1.0)
        + USAGE_WEIGHT * (1.0 - np.minimum(usage, 1.0))
        + PREFERENCE_WEIGHT * preference
    )


def _few_of_each(rows: np.ndarray) -> np.ndarray:
    """(K,) bool: not many of the same."""
    seen: dict[int, int] = {}
    kept = np.zeros(len(rows), dtype=bool)
    for number, row in enumerate(rows.tolist()):
        seen[row] = seen.get(row, 0) + 1
        kept[number] = seen[row] <= _MOST_WAYS
    return kept


class Chosen(NamedTuple):
    """A patch that was put somewhere."""

    number: int
    role: int  # of the leader
    place: np.ndarray  # (3,)
    tick: int
    partner: int


LeadsOn = Callable[[Chosen], bool]  # whether something can follow on a patch that was put


class _Trials:
    """Patches that are put and taken back until one of them leads on."""

    def __init__(self, composer: "Composer", leads_on: LeadsOn | None):
        self._composer, self._leads_on = composer, leads_on
        self._left = _LED_ON
        self._first: tuple[Any, ...] | None = None  # the patch to put if none leads on

    def put(self, lead: int, partner: int, *arguments: Any) -> Chosen | None:
        """Put a patch (see `Composer.put`), and leave it there if it leads on."""
        composer = self._composer
        if self._leads_on is None:
            return composer.put(lead, partner, *arguments)
        before = composer.remember(lead, partner)
        chosen = composer.put(lead, partner, *arguments)
        if self._leads_on(chosen):
            return chosen
        composer.take_back(before)
        self._first = self._first or (lead, partner, *arguments)
        self._left -= 1
        return None if self._left else self.first()

    def first(self) -> Chosen | None:
        """The best patch of those that lead nowhere, if there was one."""
        return self._composer.put(*self._first) if self._first else None


class Before(NamedTuple):
    """All that changes when a patch is put."""

    states: dict[int, tuple[State, int]]  # of the two: the state, and how many steps there are
    played: int
    events: int
    usage: np.ndarray
    total: int
    ended: dict[int, tuple[int, int]]
    alone: dict[tuple[int, int], int]


class Composer:
    """Places patches on a stage, one after the other."""

    def __init__(self, prepared: Prepared, seed: int, locomotion: Locomotion | None = None):
        self.stage = locomotion.stage if locomotion else Stage(prepared)
        self.patches, self.seed = prepared.patches, seed
        self.rng = np.random.default_rng(seed)
        self.usage, self.novelty = Usage(len(prepared.patches)), Novelty(prepared)
        self.drawn, self.hurry = DRAWN, HURRY
        self.due = _NEVER_TICK  # the tick by which the leader has to begin an attack
        own = np.random.default_rng([seed, len(prepared.patches)])  # other draws stay as they were
        self.leaning = _LEANING_PREFERENCE * own.random(len(prepared.patches))  # (N,) preference
        self.locomotion = locomotion or Locomotion(self.stage)
        arrays, stock = prepared.patches.arrays, self.stage.stock
        self.parts = np.arange(2 * len(prepared.patches))
        firsts = arrays.step_start[:-1]
        self.first_action = arrays.step["action"][firsts]
        self._first_place, self._first_entry = arrays.place[firsts], stock.entry[self.first_action]
        whole = arrays.step["first"][firsts] == stock.first[self.first_action]
        self.start_posture = np.where(whole, stock.start_posture[self.first_action], -1)
        self.end_posture = stock.end_posture[arrays.step["action"][arrays.step_start[1:] - 1]]  # (2 N,)
        leads_on = np.array([self.locomotion.leads_on(one) for one in self.end_posture.tolist()])
        self.usable = np.repeat(leads_on.reshape(-1, 2).all(axis=1), 2)  # (2 N,) bool: no part is a dead end
        if not self.locomotion.can_wait.any():
            raise RandoriError("the motions have no action in which a character stands and can wait")
        if not len(prepared.patches):
            raise RandoriError("the scene has no patches; `randori patches build` reports why")
        if not self.usable.any():
            raise RandoriError("every patch ends where the motions have no way back to a step")
        forced = np.add.reduceat(arrays.step["forced"], firsts) > 0
        self.forced = forced  # (2 N,) bool: the character is struck or pushed
        usable = self.parts[(self.start_posture >= 0) & self.usable]
        self._indptr, self._starters = to_csr(self.start_posture[usable], usable, stock.postures)
        self._fitting: dict[tuple[int, tuple[int, ...]], np.ndarray] = {}  # parts; see `_starting`
        self.dislike = self.locomotion.seconds_to(self.begins(unharmed=False))
        self.farness = self._seconds_to_many()  # (P,)
        self.taste = np.zeros(len(self.parts))  # added to the preference for each part, by the scene
        self.words = {word: self._actions_of(word) for word in ("punch", "kick", "avoid")}
        self._waits = {word: self._ticks_until(word) for word in self.words}
        self._prefers = {word: (ticks < _NEVER_TICK).astype(float) for word, ticks in self._waits.items()}
        self.moved = self._displacements()  # (2 N, 3)
        spans = self.stage.ways.parts
        self.lasts = (spans["last"] - spans["first"]) / self.stage.fps  # (2 N,) seconds
        self._reluctance: dict[str, np.ndarray] = {}  # (P,) seconds, of each word
        tags = self.stage.library.tags
        self.attacks = np.array([one.kind == "attack" for one in tags])  # (A,) bool
        # (2 N,) bool: parts in which the character attacks
        strikes = self.attacks[np.minimum(arrays.step["action"], len(tags) - 1)]
        self.strikes = np.add.reduceat(strikes & (arrays.step["action"] < len(tags)), firsts) > 0
        self.until_attack = self._ticks_until_attack()  # (2 N,)
        self.stands = np.array([one.technique == "stand" for one in tags])  # (A,) bool
        self._steps = np.zeros(len(tags), dtype=bool)  # (A,) bool: of the locomotion engine
        self._steps[self.locomotion.actions] = True
        # (P,) seconds to where a step that turns to the right begins, and to the left
        self._to_turns = [self.locomotion.seconds_to(self._turns(side)) for side in (-1.0, 1.0)]
        self._commitment: np.ndarray | None = None  # (2 N,) seconds; see `commitment`
        self._feinting: Locomotion | None = None  # steps and attacks for which no opponent is near enough
        self._alone: dict[tuple[int, int], int] = {}  # the last tick in which a character did an action alone
        # by character: the last part, and the tick in which it ended
        self._ended: dict[int, tuple[int, int]] = {}

    def begins(self, unharmed: bool, allowed: np.ndarray | None = None) -> np.ndarray:
        """(P,) bool: postures in which patches can be led from; `allowed` (2 N,) are parts that count."""
        fits = (self.start_posture >= 0) & self.usable & (self.parts % 2 == 0)
        if unharmed:
            fits &= ~self.forced
        if allowed is not None:
            fits &= allowed
        counts = np.bincount(self.start_posture[fits], minlength=self.stage.stock.postures)
        return counts >= min(_FEW_PARTS, int(counts.max()))

    def _seconds_to_many(self) -> np.ndarray:
        """(P,) seconds from each posture to where many patches begin: in another stance there are few.

        From places without a possible step they count from the end of the way to where one can.
        """
        counts = np.bincount(self.start_posture[self.start_posture >= 0], minlength=self.stage.stock.postures)
        seconds = self.locomotion.seconds_to(counts >= _RICH_SHARE * counts.max())
        for posture in np.unique(self.end_posture[self.end_posture >= 0]).tolist():
            if not self.locomotion.on_feet[posture] and self.locomotion.leads_on(posture):
                steps = self.locomotion.rise(State(posture, (0.0, 0.0, 0.0), 0))
                seconds[posture] = seconds[self.stage.state_after(steps[-1]).posture]
        return seconds

    def _actions_of(self, word: str) -> np.ndarray:
        """(A,) bool: actions that match a word, including those of the mouse."""
        arrays, tags = self.patches.arrays, self.stage.library.tags
        fits = np.zeros(max(len(tags), int(arrays.step["action"].max()) + 1), dtype=bool)
        for action, (kind, technique) in enumerate((one.kind, one.technique) for one in tags):
            fits[action] = (
                (word == "punch" and technique in _PUNCHES)
                or (word == "kick" and "kick" in technique)
                or (word == "avoid" and (kind == "defence" or technique in ("side step", "spin", "jump")))
            )
        return fits

    def _ticks_until(self, word: str) -> np.ndarray:
        """(2 N,) ticks from the beginning of a part to an action that matches a word; large if there is
        none."""
        step, starts = self.patches.arrays.step, self.patches.arrays.step_start[:-1]
        does = self.words[word][step["action"]] & (step["forced"] == 0)
        ticks = np.where(does, step["start"], _NEVER_TICK)
        return np.minimum(np.minimum.reduceat(ticks, starts) - step["start"][starts], _NEVER_TICK)

    def _ticks_until_attack(self) -> np.ndarray:
        """(2 N,) ticks from the beginning of a part to the character's first attack. Without one, to the end
        of the part, and the time to find another attack."""
        step, starts = self.patches.arrays.step, self.patches.arrays.step_start[:-1]
        attacks = np.append(self.attacks, False)[np.minimum(step["action"], len(self.attacks))]
        ticks = (
            np.minimum.reduceat(np.where(attacks, step["start"], _NEVER_TICK), starts) - step["start"][starts]
        )
        without = np.round((self.lasts + _FINDING_SECONDS) * self.stage.fps).astype(np.int64)
        return np.where(self.strikes, ticks, without)

    def _displacements(self) -> np.ndarray:
        """(2 N, 3) where a part ends, as its beginning sees it: of the pelvis."""
        ways, pelvis = self.stage.ways, self.stage.stock.pelvis
        first, last = ways.shown[ways.parts["first"]], ways.shown[ways.parts["last"]]
        begin, end = (pelvis[shown["frame"], 2] + shown["place"]["yaw"] for shown in (first, last))
        dx, dz = last["x"] - first["x"], last["z"] - first["z"]
        c, s = np.cos(begin), np.sin(begin)
        return np.column_stack([c * dx - s * dz, c * dz + s * dx, rot.wrap_angle(end - begin)])

    # -- characters and standing -------------------------------------------------------------------

    def stand(self, name: str, outfit: int, place: Sequence[float], posture: int | None = None) -> int:
        """Add a character that stands at a place from the beginning on and looks along a yaw."""
        posture = self.hub() if posture is None else posture
        yaw = float(place[2] - self.stage.looking(np.array([posture]), np.zeros(1))[0])
        state = State(posture, (float(place[0]), float(place[1]), yaw), 0)
        who = self.stage.enter(StageCharacter(name, outfit, state))
        self.rest(who, 1 + int(self.rng.integers(0, 30)))
        return who

    def hub(self) -> int:
        """The posture in which one can wait and in which most parts begin."""
        begins = np.diff(self._indptr) + 0.001 * np.diff(self.stage.graph.indptr)
        return int(np.argmax(np.where(self.locomotion.can_wait, begins + 1.0, 0.0)))

    def rest(self, who: int, until: int | None = None) -> None:
        """Let a character stand until a tick, or for a while; if it cannot stand, it continues somehow."""
        state = self.stage.actors[who].state
        if not self.locomotion.can_wait[state.posture]:
            self.stage.perform(who, self.locomotion.go_on(state))
            return
        steps = self.locomotion.wait(state, until) if until else [self.locomotion.stand(state)]
        self.stage.perform(who, steps, state._replace(tick=steps[-1].stop))

    def hold(self, who: int, until: int) -> None:
        """Let a character continue as recorded for a few ticks."""
        actor = self.stage.actors[who]
        if actor.state.tick < until:
            last, state = actor.steps.pop(), actor.state._replace(tick=until)
            self.stage.perform(who, [replace(last, stop=until)], state)

    # -- a patch more ------------------------------------------------------------------------------

    def preference(self, parts: np.ndarray, state: State, wish: Wish) -> np.ndarray:
        """(K,) 0 to 1: how well the leader's actions in some parts match a wish."""
        if wish.word in self._prefers:
            return self._prefers[wish.word][parts]
        if wish.word not in ("move", "turn"):
            return np.zeros(len(parts))
        moved = together(self.moved[parts], np.array([state.place]))
        if wish.word == "move":
            before = np.hypot(wish.place[0] - state.place[0], wish.place[1] - state.place[1])
            after = np.hypot(wish.place[0] - moved[:, 0], wish.place[1] - moved[:, 1])
            return np.clip(before - after, 0.0, 1.0)
        return 0.5 + 0.5 * np.cos(moved[:, 2] - wish.facing)

    def draw(self, parts: np.ndarray) -> np.ndarray:
        """(K,) preference for parts that the seed draws: for the whole take, and this time."""
        return self.leaning[parts // 2] + self.drawn * self.rng.random(len(parts))

    def engage(
        self,
        lead: int,
        partners: Sequence[int],
        wish: Wish = NO_WISH,
        roles: Sequence[int] = (0, 1),
        allowed: np.ndarray | None = None,
        least: float = 0.0,
        far_ways: int = _WAYS,
        yielding: Sequence[int] = (),
        latest_start: float = _LATEST_SECONDS,
        leads_on: LeadsOn | None = None,
    ) -> Chosen | None:
        """The best patch that the leader can continue with, and a partner that gets to it; None if there is
        none.

        `least` is the preference that the patch must have. `allowed` (2 N,) limits the leader's parts.
        `far_ways` long ways are tried if no partner gets there in a few steps. With a wish, only patches
        count that obey it in time. Characters in `yielding` are not in the way: they step aside in time. The
        leader waits for at most `latest_start` seconds. Of a few patches the first is taken that `leads_on`,
        or the best if none does.
        """
        stage, trials = self.stage, _Trials(self, leads_on)
        state = stage.actors[lead].state
        parts = self._starting(state, roles)
        if allowed is not None:
            parts = parts[allowed[parts]]
        if len(parts) == 0 or not partners:
            return None
        latest = self._latest(parts, state, wish)
        # Step 1. Where each would go, and where the partner would have to be
        places = stage.put_after(parts, state)
        others = parts ^ 1
        begins = self.begin_places(others, places)
        ticks = state.tick - stage.begin[parts]
        there = np.array([stage.actors[one].state.place for one in partners])
        free = np.array([stage.actors[one].state.tick for one in partners])
        away = np.hypot(begins[:, None, 0] - there[None, :, 0], begins[:, None, 1] - there[None, :, 1])
        late = round(latest_start * stage.fps) if self.locomotion.can_wait[state.posture] else 0
        room = (ticks + stage.begin[others])[:, None] + late - free[None]
        possible = (away < self.locomotion.speed * room / stage.fps + 0.2) & (room > 0)
        # Step 2. Sort by preference; among equals, those from the table come first
        known = self._known(lead)
        density = stage.density(begins[:, :2], state.tick, _DENSITY_RADIUS)
        preference = self.preference(parts, state, wish)
        liked = preference + self.taste[parts] + self.draw(parts)
        wanted = score(density, self.usage.value[parts // 2], liked)
        wanted[~possible.any(axis=1) | (preference < least) | (latest < 0)] = -1.0
        # Step 3. For some of them, a few steps lead a partner there at once
        columns = np.argsort(away.min(axis=0), kind="stable")[:_TRIED_PARTNERS].tolist()
        # whether a partner's first action touches another character
        blocked: dict[tuple[int, int], bool] = {}
        for depth in (2, 3):
            some = []
            for column in columns:
                rows = np.flatnonzero(possible[:, column] & (wanted >= 0.0))
                starts, rooms = self.start_posture[others[rows]], room[rows, column] - late
                reached = self.locomotion.reach(partners[column], starts, begins[rows], rooms, late, depth)
                some.append((rows[reached.which], np.full(len(reached.which), column), *reached[1:]))
            row_of, column_of, price, way_of, later_of = (np.concatenate(one) for one in zip(*some))
            value = wanted[row_of] - PREFERENCE_WEIGHT * self.hurry * later_of / stage.fps
            order = np.lexsort((column_of, price, ~known[parts[row_of]], -value))
            in_time = order[later_of[order] <= latest[row_of[order]]]
            free_ways = [
                found
                for found in in_time.tolist()
                if not self._blocked(partners[column_of[found]], way_of[found], blocked, yielding)
            ]
            kept = np.array(free_ways, dtype=np.int64)
            for found in kept[_few_of_each(row_of[kept])][:_TRIES].tolist():
                row, partner, later = int(row_of[found]), partners[column_of[found]], int(later_of[found])
                actions = [action for action in way_of[found].tolist() if action >= 0]
                part, place = int(parts[row]), places[row]
                starts_at = int(ticks[row] + stage.begin[others[row]]) + later
                way = self.way(partner, actions, starts_at)
                if way and not stage.clear(stage.stretch(way), [partner, *yielding]):
                    continue
                fits = self._room_for(lead, partner, part, place, later, yielding)
                if fits and (chosen := trials.put(lead, partner, part, place, way, later)):
                    return chosen
        if (chosen := trials.first()) is not None:
            return chosen
        # Step 4. Or more steps lead to the best of them
        turns = away.min(axis=1) + self.rng.random(len(parts))  # patches that count the same take turns
        for row in np.lexsort((turns, ~known[parts], -wanted))[:far_ways]:
            column = int(np.argmin(away[row]))
            if wanted[row] < 0.0 or not possible[row, column]:
                continue
            begin = stage.start_of(int(others[row]), places[row], int(ticks[row]))
            met = self.locomotion.meet(partners[column], begin, late, yielding)
            part, place = int(parts[row]), places[row]
            if met is None or met[1] > latest[row]:
                continue
            if self._room_for(lead, partners[column], part, place, met[1], yielding):
                return self.put(lead, partners[column], part, place, *met)
        return None

    def walk_and_engage(
        self,
        lead: int,
        partners: Sequence[int],
        allowed: np.ndarray,
        roles: Sequence[int] = (0, 1),
        yielding: Sequence[int] = (),
        leads_on: LeadsOn | None = None,
    ) -> Chosen | None:
        """The best patch that the leader reaches in a step or two, while a partner comes, too.

        It is tried when no patch begins where the leader is; the arguments are those of `engage`. A feint
        moves a character as a step does, and does not count as idle time.
        """
        nearest = self._nearest(lead, partners)
        trials = _Trials(self, leads_on)
        for depth in (1, 2):
            if nearest and (
                chosen := self._walk_and_engage(lead, nearest, allowed, roles, yielding, depth, trials)
            ):
                return chosen
        return None

    def _nearest(self, lead: int, partners: Sequence[int]) -> list[int]:
        """The partners that are tried."""
        x, z, _ = self.stage.actors[lead].state.place
        places = [self.stage.actors[one].state.place for one in partners]
        away = [float(np.hypot(place[0] - x, place[1] - z)) for place in places]
        return [partners[row] for row in np.argsort(away, kind="stable")[:_TRIED_PARTNERS].tolist()]

    def _walk_and_engage(
        self,
        lead: int,
        partners: Sequence[int],
        allowed: np.ndarray,
        roles: Sequence[int],
        yielding: Sequence[int],
        depth: int,
        trials: "_Trials",
    ) -> Chosen | None:
        stage, state = self.stage, self.stage.actors[lead].state
        # Step 1. Where this number of steps and feints leads, and all patches that begin there
        ends, lines = (one.copy() for one in self._steps_and_feints().spread(state, depth))
        feints = self.attacks[lines] & (lines >= 0)
        stale = (feints & np.isin(lines, self._lately(lead))).any(axis=1)
        durations = np.where(lines >= 0, stage.stock.stop[lines] - stage.stock.first[lines], 0)
        feinted = has_target(stage, lead, np.array([state.tick])).any()  # else they are no better than steps
        idle_ticks = np.where(feints & feinted, 0, durations).sum(axis=1)
        counts = np.diff(self._indptr)[ends["posture"]]
        end_of = np.repeat(np.arange(len(ends)), counts)
        first = np.repeat(self._indptr[ends["posture"]] - np.cumsum(counts) + counts, counts)
        parts = self._starters[first + np.arange(len(first))]
        kept = allowed[parts] & np.isin(parts % 2, roles) & (lines[end_of, depth - 1] >= 0) & ~stale[end_of]
        kept &= ends["ticks"][end_of] <= self._latest(parts, state, NO_WISH)
        end_of, parts = end_of[kept], parts[kept]
        if len(parts) == 0:
            return None
        ends = ends[end_of]
        there = np.column_stack([ends["place"][name] for name in ("x", "z", "yaw")])
        others, places = parts ^ 1, stage.put_from(parts, there)
        begins, takes = self.begin_places(others, places), ends["ticks"]
        ticks = state.tick + takes - stage.begin[parts]
        # Step 2. How much each is wanted, and which of them a partner can get to
        liked = self.taste[parts] + self.draw(parts)
        density = stage.density(begins[:, :2], state.tick, _DENSITY_RADIUS)
        wanted = score(density, self.usage.value[parts // 2], liked)
        late = round(_LATEST_SECONDS * stage.fps)
        some = []
        for column, partner in enumerate(partners):
            rooms = ticks + stage.begin[others] - stage.actors[partner].state.tick
            away = np.hypot(*(begins[:, :2] - stage.actors[partner].state.place[:2]).T)
            near = np.flatnonzero(away < self.locomotion.speed * (rooms + late) / stage.fps + 0.2)
            starts = self.start_posture[others[near]]
            reached = self.locomotion.reach(partner, starts, begins[near], rooms[near], late, 2)
            some.append((near[reached.which], np.full(len(reached.which), column), *reached[2:]))
        row_of, column_of, way_of, later_of = (np.concatenate(one) for one in zip(*some))
        idle = (idle_ticks[end_of[row_of]] + later_of) / stage.fps
        latest = self._latest(parts, state, NO_WISH)[row_of] - takes[row_of]
        value = wanted[row_of] - PREFERENCE_WEIGHT * self.hurry * idle
        value[(later_of > 0) & ~self.locomotion.can_wait[ends["posture"][row_of]]] = -np.inf
        value[later_of > latest] = -np.inf
        # Step 3. The best of them that touches no other character
        for found in np.argsort(-value, kind="stable")[:_TRIES].tolist():
            row, partner, later = int(row_of[found]), partners[column_of[found]], int(later_of[found])
            steps = self.locomotion.line(
                [one for one in lines[end_of[row]].tolist() if one >= 0], stage.actors[lead].state
            )
            if value[found] == -np.inf or not stage.clear(stage.stretch(steps), [lead, *yielding]):
                continue
            stage.perform(lead, steps)
            starts_at = int(ticks[row] + stage.begin[others[row]]) + later
            way = self.way(partner, way_of[found].tolist(), starts_at)
            part, place = int(parts[row]), places[row]
            free = self._comes_freely(lead, partner, part, place, later, way, yielding)
            fits = free and self._room_for(lead, partner, part, place, later, yielding)
            stage.take_back(lead, len(steps), state)
            if fits and (chosen := trials.put(lead, partner, part, place, way, later, steps)):
                return chosen
        return trials.first()

    def _comes_freely(
        self,
        lead: int,
        partner: int,
        part: int,
        place: np.ndarray,
        later: int,
        way: list[Placed],
        yielding: Sequence[int],
    ) -> bool:
        """Whether a partner that comes along a way touches no character until both are in a patch. That
        includes the leader, before its part and in it, while the partner is still on the way."""
        stage, state = self.stage, self.stage.actors[lead].state
        number, role = divmod(part, 2)
        tick = state.tick - int(stage.begin[part]) + later
        waits = self.locomotion.wait(state, state.tick + later)
        steps = waits + stage.steps_of(number, role, place, tick)
        stage.perform(lead, steps)
        begun = stage.part(number, 1 - role, place, tick)
        alone = begun._replace(shown=begun.shown[: max(state.tick + later - begun.start, 0)])
        plans = ([stage.stretch(way)] if way else []) + ([alone] if len(alone.shown) else [])
        free = all(stage.clear(plan, [partner, *yielding]) for plan in plans)
        stage.take_back(lead, len(steps), state)
        return free

    def _lately(self, who: int) -> list[int]:
        """The actions that a character did alone within the window of pairs of actions."""
        long_ago = self.stage.actors[who].state.tick - ACTION_WINDOW * self.stage.fps
        return [action for (one, action), tick in self._alone.items() if one == who and tick > long_ago]

    def peace(self, who: int) -> float:
        """Seconds since a character last attacked another in reach."""
        actor = self.stage.actors[who]
        for step in reversed(actor.steps[-_RECENT_STEPS:]):
            if (
                self.attacks[step.action]
                and has_target(self.stage, who, np.arange(step.start, step.stop)).any()
            ):
                return (actor.state.tick - step.stop) / self.stage.fps
        return actor.state.tick / self.stage.fps

    def _steps_and_feints(self) -> Locomotion:
        if self._feinting is None:
            tags = self.stage.library.tags
            words = {one.technique.split(" ")[0] for one in tags if one.kind == "attack"}
            self._feinting = Locomotion(self.stage, gaits=(*GAITS, *sorted(words)))
        return self._feinting

    def go_on_together(self, lead: int, last: Chosen, allowed: np.ndarray) -> Chosen | None:
        """Let both characters of a patch that has just ended continue with each other, as the table says.

        Returns None if they cannot. `allowed` (2 N,) limits the leader's parts.
        """
        stage, rows = self.stage, self.patches.together_after(last.number)
        # the characters in the first and in the second role
        roles = (lead, last.partner) if last.role == 0 else (last.partner, lead)
        states = [stage.actors[who].state for who in roles]
        for role, who in enumerate(roles):
            if self._ended.get(who) != (2 * last.number + role, states[role].tick):
                return None
        # the first character gets the role `change` in the next patch; the leader may be the other one
        parts = 2 * rows["next"] + (rows["change"] ^ last.role)
        rows = rows[allowed[parts] & (self._latest(parts, stage.actors[lead].state, NO_WISH) >= 0)]
        if len(rows) == 0:
            return None
        goes_on = 2 * rows["next"] + rows["change"]
        liked = self.preference(goes_on, states[0], NO_WISH) + self.taste[goes_on ^ last.role]
        liked += self.draw(goes_on)
        wanted = score(np.zeros(len(rows)), self.usage.value[rows["next"]], liked)
        for _, number, change, after in rows[np.argsort(-wanted, kind="stable")][:_MOST_TOGETHER].tolist():
            parts = (2 * number + change, 2 * number + 1 - change)
            tick = last.tick + after
            place = stage.put_after(np.array([parts[0]]), states[0])[0]
            stretches = [stage.part(number, part % 2, place, tick) for part in parts]
            if any(stretch.start < state.tick for stretch, state in zip(stretches, states)):
                continue
            if all(stage.clear(stretch, roles) for stretch in stretches):
                for who, part, stretch in zip(roles, parts, stretches):
                    self.hold(who, stretch.start)
                    stage.perform(who, stage.steps_of(number, part % 2, place, tick))
                by_role = roles if change == 0 else roles[::-1]
                stage.tell(number, place, tick, by_role)
                self._remember(number, by_role)
                return Chosen(number, by_role.index(lead), place, tick, last.partner)
        return None

    def _known(self, who: int) -> np.ndarray:
        """(2 N,) bool: parts that the table `alone` has after a character's last part.

        They touch neither the partner that stays behind nor the one that comes, so they are tried first.
        """
        known = np.zeros(len(self.parts), dtype=bool)
        part, tick = self._ended.get(who, (-1, -1))
        if part >= 0 and tick == self.stage.actors[who].state.tick:
            rows = self.patches.alone_after(*divmod(part, 2))
            known[2 * rows["next"] + rows["next_role"]] = True
        return known

    def _remember(self, number: int, who: Sequence[int]) -> None:
        """Note that a patch was placed, and the characters in its roles."""
        self.usage.use(number)
        for role, one in enumerate(who):
            self._ended[one] = (2 * number + role, self.stage.actors[one].state.tick)

    def _blocked(
        self,
        who: int,
        way: np.ndarray,
        known: dict[tuple[int, int], bool],
        yielding: Sequence[int],
    ) -> bool:
        """Whether a way touches other characters with its first action; many ways begin with the same one."""
        action = next((one for one in way.tolist() if one >= 0), None)
        if action is None:
            return False
        key = who, action
        if key not in known:
            stage = self.stage
            stretch = stage.stretch([self.locomotion.placed(action, stage.actors[who].state)])
            # the last tick already shows the next action
            before = stretch._replace(shown=stretch.shown[:-1])
            known[key] = not stage.clear(before, [who, *yielding])
        return known[key]

    def way(self, who: int, actions: Sequence[int], until: int) -> list[Placed]:
        """Some steps (-1 is none), and then the time until a tick."""
        state = self.stage.actors[who].state
        steps = self.locomotion.line([action for action in actions if action >= 0], state)
        here = self.stage.state_after(steps[-1]) if steps else state
        return steps + self.locomotion.wait(here, until)

    def _room_for(
        self, lead: int, partner: int, part: int, place: np.ndarray, later: int, yielding: Sequence[int]
    ) -> bool:
        """Whether the room for a patch is free, the given number of ticks later."""
        stage = self.stage
        number, role = divmod(part, 2)
        tick = stage.actors[lead].state.tick - int(stage.begin[part]) + later
        both = (stage.part(number, one, place, tick) for one in (1 - role, role))
        return all(stage.clear(stretch, [lead, partner, *yielding]) for stretch in both)

    def put(
        self,
        lead: int,
        partner: int,
        part: int,
        place: np.ndarray,
        steps: list[Placed],
        later: int,
        before: Sequence[Placed] = (),
    ) -> Chosen:
        """Place a patch; `before` leads the leader there, `steps` the partner, so many ticks later."""
        stage = self.stage
        if before:
            stage.perform(lead, list(before))
            for step in before:
                self._alone[lead, step.action] = step.start
        state = stage.actors[lead].state
        number, role = divmod(part, 2)
        tick = state.tick - int(stage.begin[part]) + later
        waits = self.locomotion.wait(state, state.tick + later)
        chosen = Chosen(number, role, place, tick, partner)
        stage.perform(lead, waits + stage.steps_of(number, role, place, tick))
        stage.perform(partner, steps + stage.steps_of(number, 1 - role, place, tick))
        who = (lead, partner) if role == 0 else (partner, lead)
        stage.tell(number, place, tick, who)
        self._remember(number, who)
        return chosen

    def remember(self, *both: int) -> Before:
        """The state of the stage before a patch of two characters is put."""
        stage = self.stage
        states = {who: (stage.actors[who].state, len(stage.actors[who].steps)) for who in both}
        told = len(stage.played), len(stage.events)
        usage = self.usage.value.copy(), self.usage.total
        return Before(states, *told, *usage, dict(self._ended), dict(self._alone))

    def take_back(self, before: Before) -> None:
        """Let a patch not have been put."""
        stage = self.stage
        for who, (state, count) in before.states.items():
            stage.take_back(who, len(stage.actors[who].steps) - count, state)
        del stage.played[before.played :], stage.events[before.events :]
        self.usage.value[:], self.usage.total = before.usage, before.total
        self._ended, self._alone = dict(before.ended), dict(before.alone)

    def engage_newcomer(
        self,
        lead: int,
        name: str,
        outfit: int,
        enter: Callable[[State], list[Placed] | None],
        wish: Wish = NO_WISH,
        roles: Sequence[int] = (0, 1),
        allowed: np.ndarray | None = None,
    ) -> Chosen | None:
        """The best patch that the leader can continue with, together with a character who enters.

        `enter` returns the steps by which the newcomer reaches the beginning of its part from tick 0 on, or
        None. `allowed` (2 N,) limits the leader's parts.
        """
        stage = self.stage
        state = stage.actors[lead].state
        parts = self._starting(state, roles)
        if allowed is not None:
            parts = parts[allowed[parts]]
        parts = parts[self._latest(parts, state, wish) >= 0]
        if len(parts) == 0:
            return None
        places = stage.put_after(parts, state)
        begins = self.begin_places(parts ^ 1, places)
        density = stage.density(begins[:, :2], state.tick, _DENSITY_RADIUS)
        liked = self.preference(parts, state, wish) + self.taste[parts]
        liked += self.draw(parts)
        wanted = score(density, self.usage.value[parts // 2], liked)
        ways = 0
        known = self._known(lead)[parts]
        for row in np.lexsort((self.rng.random(len(parts)), ~known, -wanted))[:_NEWCOMERS]:
            number, role = divmod(int(parts[row]), 2)
            tick = state.tick - int(stage.begin[parts[row]])
            stretches = [stage.part(number, one, places[row], tick) for one in (role, 1 - role)]
            if ways >= _WAYS:
                break
            if not all(stage.clear(stretch, [lead]) for stretch in stretches):
                continue
            ways += 1
            begin = stage.start_of(int(parts[row]) ^ 1, places[row], tick)
            steps = enter(begin)
            if steps is None or (steps and not stage.clear(stage.stretch(steps))):
                continue
            partner = stage.enter(StageCharacter(name, outfit, begin))
            stage.perform(lead, stage.steps_of(number, role, places[row], tick))
            stage.perform(partner, steps + stage.steps_of(number, 1 - role, places[row], tick))
            who = (lead, partner) if role == 0 else (partner, lead)
            stage.tell(number, places[row], tick, who)
            self._remember(number, who)
            return Chosen(number, role, places[row], tick, partner)
        return None

    def _starting(self, state: State, roles: Sequence[int]) -> np.ndarray:
        """(K,) the parts that a character can continue with."""
        if state.posture < 0:
            return self.parts[:0]
        key = state.posture, tuple(roles)
        if key not in self._fitting:
            parts = self._starters[self._indptr[state.posture] : self._indptr[state.posture + 1]]
            self._fitting[key] = parts[np.isin(parts % 2, roles)]
        return self._fitting[key]

    def _latest(self, parts: np.ndarray, state: State, wish: Wish) -> np.ndarray:
        """(K,) ticks that the leading one may wait before parts, so that a wish is obeyed in time, and an
        attack that is due begins in time."""
        latest = self.due - state.tick - self.until_attack[parts]
        if wish.word not in self._waits:
            return latest
        deadline = max(wish.since + round(OBEY * self.stage.fps), state.tick)
        return np.minimum(latest, deadline - state.tick - self._waits[wish.word][parts])

    # -- commands ----------------------------------------------------------------------------------

    def break_off(self, lead: int, now: int, wish: Wish = NO_WISH) -> None:
        """Cancel the leader's plan after its current action, and the parts of its partners in that plan.

        A character that is struck meanwhile still reacts. A character that stands or waits stops at once. An
        action is left where it passes near a posture, if possible one in which the wish can begin."""
        stage = self.stage
        tick, way_out = self._cut(lead, now + 1, wish)
        for one in [one for one in stage.played if lead in one.who]:
            role = one.who.index(lead)
            part = stage.ways.parts[2 * one.number + role]
            begins = one.tick + int(part["begin"])
            if begins + int(part["last"] - part["first"]) > tick:
                stage.rewind(one.who[1 - role], tick)
                stage.forget(one, tick, begins >= tick)
        stage.rewind(lead, tick, way_out)

    def _cut(self, who: int, tick: int, wish: Wish) -> tuple[int, State | None]:
        """The first tick from `tick` on in which a character's plan can be cancelled, and the state it is
        left in.

        The action has ended or can be left, and the next one is not a forced reaction."""
        stage = self.stage
        steps = stage.actors[who].steps
        for step, following in zip(steps, [*steps[1:], None]):
            if following is not None and (following.start < tick or following.cause == FORCED):
                continue
            stands = stage.library.tags[step.action].technique == "stand"
            if step.start < tick and stands and self.locomotion.on_feet[stage.stock.end_posture[step.action]]:
                return tick, None
            # a character that is struck meanwhile leaves the reaction as soon as the graph allows
            since = max(tick, step.start) if step.cause == FORCED else tick
            way_out = stage.way_out(step, since) if step.start < tick or step.cause == FORCED else None
            if way_out is not None:
                better = stage.way_out(step, since, self._beginning(wish, who, tick))
                longest = way_out.tick + _WORTH_WAITING * stage.fps
                way_out = better if better is not None and better.tick < longest else way_out
                return way_out.tick, way_out
            ends = int(stage.stock.end_posture[step.action])
            if following is not None and self.locomotion.on_feet[ends]:
                return following.start, None
            if following is not None:  # in the middle of a combination: leave out its next blow
                tick = following.start + 1
        return max(stage.actors[who].state.tick, tick), None

    def _beginning(self, wish: Wish, who: int, tick: int) -> np.ndarray:
        """(P,) bool: postures in which a wish can begin in a tick. To turn, a character needs a turn to that
        side; for any other wish that is no action, it needs many steps."""
        graph, begins = self.stage.graph, np.zeros(self.stage.stock.postures, dtype=bool)
        if wish.word in self.words:
            return self._begins_with(self.words[wish.word])
        askew = self._askew(wish, who, tick)
        if abs(askew) > TURNED_BY:
            return self._turns(float(np.sign(askew)))
        ways = np.bincount(graph.start_posture[self.locomotion.actions], minlength=len(begins))
        return ways >= _ENOUGH_STEPS_SHARE * ways.max()

    def _begins_with(self, does: np.ndarray) -> np.ndarray:
        """(P,) bool: postures in which one of some actions (A,) begins."""
        graph, begins = self.stage.graph, np.zeros(self.stage.stock.postures, dtype=bool)
        begins[graph.start_posture[graph.actions[does[graph.actions]]]] = True
        return begins

    def _askew(self, wish: Wish, who: int, tick: int) -> float:
        """Radians from a character's look in a tick to the direction of the wish; 0 without one."""
        frame, place = self.stage.shown(who, tick)
        looks = float(self.stage.stock.facing[frame] + place[2])
        if wish.word == "turn":
            return float(rot.wrap_angle(wish.facing - looks))
        if wish.word != "move":
            return 0.0
        x, z = self.stage.spots(tick)[who]
        return float(rot.wrap_angle(np.arctan2(wish.place[0] - x, wish.place[1] - z) - looks))

    def _turns(self, side: float) -> np.ndarray:
        """(P,) bool: postures in which a step begins that turns to the left (1), or to the right (-1)."""
        graph, begins = self.stage.graph, np.zeros(self.stage.stock.postures, dtype=bool)
        steps = self.locomotion.actions
        begins[graph.start_posture[steps[side * graph.displacement[steps, 2] > TURNED_BY]]] = True
        return begins

    def reluctance(self, wish: Wish) -> np.ndarray:
        """(P,) seconds from each posture to one in which the wish can begin; without a wish, any patch."""
        if wish.word not in self.words:
            return self.dislike
        if wish.word not in self._reluctance:
            self._reluctance[wish.word] = self.locomotion.seconds_to(self._begins_with(self.words[wish.word]))
        return self._reluctance[wish.word]

    def obey_alone(self, lead: int, wish: Wish) -> bool:
        """Obey a wish without a partner, if a matching action starts here, preferably one that touches no
        character. If none does, continue to a posture in which one starts, by the shortest way."""
        if wish.word not in self.words:
            return False
        does = self.words[wish.word]
        return self.act_alone(lead, does) or self.act_alone(lead, does, careful=False)

    def hasten(self, who: int, wish: Wish) -> list[Placed]:
        """The next step on the shortest way to where a wish can begin; preferably one without a touch."""
        stage, state = self.stage, self.stage.actors[who].state
        fits = [one for one in stage.graph.choices(state.posture).tolist() if self._steps[one]]
        steps = [self.locomotion.placed(one, state) for one in fits]
        seconds = self.reluctance(wish)
        steps.sort(key=lambda step: step.stop / stage.fps + seconds[stage.state_after(step).posture])
        careful = [step for step in steps[:_ACTIONS_ALONE] if stage.clear(stage.stretch([step]), [who])]
        return (careful or steps)[:1]

    def act_alone(self, who: int, fits: np.ndarray, careful: bool = True) -> bool:
        """Do one of some actions (A,) bool without a partner, if one starts here. With `careful`, it must
        touch no character; otherwise refinement parts the bodies.

        A character does not repeat a lone action within the window of pairs of actions, if possible.
        """
        stage, state = self.stage, self.stage.actors[who].state
        some = [one for one in stage.graph.choices(state.posture).tolist() if fits[one]]
        order = self.rng.permutation(np.array(some, dtype=np.int64)).tolist()
        long_ago = state.tick - ACTION_WINDOW * stage.fps
        ends = stage.graph.end_posture
        order.sort(
            key=lambda action: (
                self._alone.get((who, action), -_NEVER_TICK) > long_ago,
                self.farness[ends[action]] >= OTHER_STANCE,
            )
        )
        for action in order[:_ACTIONS_ALONE]:
            step = self.locomotion.placed(action, state)
            leads_on = self.locomotion.leads_on(stage.state_after(step).posture)
            if leads_on and (not careful or stage.clear(stage.stretch([step]), [who])):
                stage.perform(who, [step])
                self._alone[who, action] = step.start
                return True
        return False

    def step_anyway(self, who: int, goal: Sequence[float], facing: float, wish: Wish) -> list[Placed]:
        """The next step of a character that was told to go to a place or to turn, preferably without a touch.

        At first only the next step counts, so that the player sees at once that the command is obeyed. A
        character with a command does not stand about.
        """
        state = self.stage.actors[who].state
        late = state.tick > wish.since + OBEY * self.stage.fps
        askew = float(rot.wrap_angle(facing - self.stage.facing(state)))
        dislike = self._to_turns[askew > 0.0] if abs(askew) > TURNED_BY else None
        found: list[Placed] = []
        for touched in ((), range(len(self.stage))):
            steps = self.locomotion.step_to(
                who,
                goal,
                facing,
                touched,
                dislike=dislike,
                likes=-STANDING_FACTOR * self.stands,
                depth=1 + late,
            )
            if steps and (late or self._shows(state, steps[-1], goal, facing)):
                return steps
            found = found or steps
        return found

    def _shows(self, state: State, step: Placed, goal: Sequence[float], facing: float) -> bool:
        """Whether it is seen after a step that a character is on its way to a place, or turns."""
        after, stage = self.stage.state_after(step), self.stage
        nearer = [np.hypot(one.place[0] - goal[0], one.place[1] - goal[1]) for one in (after, state)]
        askew = [abs(rot.wrap_angle(stage.facing(one) - facing)) for one in (after, state)]
        return bool(nearer[0] < nearer[1] - NEARER or askew[0] < askew[1] - TURNED_BY or askew[0] < TURNED_BY)

    def commitment(self) -> np.ndarray:
        """(2 N,) seconds at most that a character in a part has to wait until a command can be obeyed."""
        if self._commitment is None:
            arrays, people = self.patches.arrays, len(self.stage.library)
            actions = arrays.step["action"]
            known = {one: self.stage.longest_stay(one) for one in np.unique(actions).tolist() if one < people}
            stays = np.array([known.get(one, 0.0) for one in actions.tolist()])
            self._commitment = np.maximum.reduceat(stays, arrays.step_start[:-1])
        return self._commitment

    def first_place(self, parts: np.ndarray) -> np.ndarray:
        """(K, 3) where the recordings go that parts begin with, in their patches."""
        return self._first_place[parts]

    def begin_places(self, parts: np.ndarray, places: np.ndarray) -> np.ndarray:
        """(K, 3) places of the postures in which the parts of placed patches begin."""
        return together(self._first_entry[parts], together(self._first_place[parts], places))
