"""Feints: attacks at an opponent in reach that stands its ground, for a character without a patch.

They are what a composer can always fall back on, so that no main character goes without an attack for long.
"""

from collections.abc import Sequence

import numpy as np

from randori.motion import rotations as rot
from randori.patches.compose import Composer
from randori.patches.novelty import ACTION_WINDOW
from randori.patches.striking import has_target, lies
from randori.timeline.timeline import Placed

_REACH_SHARE = 0.9  # share of the reach and of the angle of strikes: a target that stands shifts its weight
_ENDS_TRIED, _ATTACKS_TRIED = 16, 4  # places that are tried, soonest first; and attacks at each
_EASY_DISTANCE = 1.6  # metres: nearer targets cost as many seconds as they are nearer
_EVASION_LEADS = (0.0, 0.4, 0.9)  # seconds before the attack at which its target begins to evade it
_RISING_SECONDS = 0.5  # seconds after the beginning of a feint at which its target is on its feet
_RETREAT_DISTANCE = 0.8  # metres by which a target steps back
_DRAWN_SECONDS = 0.3  # seconds by which the seed prefers one place to another
_STANCE_SHARE = 0.5  # share of the seconds from the end of an attack to where many patches begin


class Feints:
    """Attacks without a patch."""

    def __init__(self, composer: Composer):
        self._composer, self._stage = composer, composer.stage
        self._played: dict[tuple[int, int], int] = {}  # the last tick in which a character did an attack
        graph, locomotion = self._stage.graph, composer.locomotion
        self._attacks = [
            [
                one
                for one in graph.choices(posture).tolist()
                if composer.attacks[one] and locomotion.leads_on(int(graph.end_posture[one]))
            ]
            for posture in range(self._stage.stock.postures)
        ]
        self._defences = [
            [one for one in graph.choices(posture).tolist() if self._is_defence(one)]
            for posture in range(self._stage.stock.postures)
        ]
        # (P,) seconds from each posture to one in which a character can wait
        self._to_waiting = locomotion.seconds_to(locomotion.can_wait)
        self._possible = np.array([len(some) > 0 for some in self._attacks])  # (P,) bool

    def _is_defence(self, action: int) -> bool:
        """Whether an action is a defence after which a character can step."""
        ends = int(self._stage.graph.end_posture[action])
        kind = self._stage.library.tags[action].kind
        return kind == "defence" and bool(self._composer.locomotion.on_feet[ends])

    def put(
        self,
        who: int,
        targets: Sequence[int],
        within: float,
        yielding: Sequence[int] = (),
        depth: int = 2,
    ) -> bool:
        """Let a character attack one of some others, after at most `depth` steps in so many seconds.

        The target stands its ground until then; it dodges or gives ground. Those in `yielding` are not in
        the way: they step aside in time.
        """
        composer, stage = self._composer, self._stage
        state = stage.actors[who].state
        if not targets or state.posture < 0 or not composer.locomotion.on_feet[state.posture]:
            return False
        ends, lines = (one.copy() for one in composer.locomotion.spread(state, depth))
        seconds = ends["ticks"] / stage.fps
        kept = np.flatnonzero(self._possible[ends["posture"]] & (seconds <= within))
        ends, lines, seconds = ends[kept], lines[kept], seconds[kept]
        # the target of each end is the nearest in reach, but not so near that the attack could only hit it
        price = np.array([self._price(ends, state.tick, one) for one in targets])  # (T, K)
        drawn = _DRAWN_SECONDS * composer.rng.random(len(ends))
        best = price.min(axis=0) + seconds + drawn
        tried, blocked = 0, set[tuple[int, int]]()  # many ways begin with the same step
        for row in np.argsort(best, kind="stable").tolist():
            if best[row] == np.inf or tried == _ENDS_TRIED:
                return False
            target = targets[int(np.argmin(price[:, row]))]
            line = [one for one in lines[row].tolist() if one >= 0]
            others = [one for one in yielding if one != target]
            if line and (target, line[0]) in blocked:
                continue
            if line and not self._is_free(who, line[:1], others):
                blocked.add((target, line[0]))
                continue
            tried += 1
            if self._attack(who, target, line, others):
                return True
        return False

    def _is_free(self, who: int, line: Sequence[int], yielding: Sequence[int]) -> bool:
        """Whether steps touch no character."""
        steps = self._composer.locomotion.line(line, self._stage.actors[who].state)
        return self._stage.clear(self._stage.stretch(steps), [who, *yielding])

    def _price(self, ends: np.ndarray, since: int, target: int) -> np.ndarray:
        """(K,) seconds by which a target is too near from ends (K,) END; infinity if it is out of reach. It
        stands where its plan ends."""
        stage = self._stage
        ticks, place = since + ends["ticks"], ends["place"]
        there = stage.shown_in(target, ticks)
        x, z = there["x"] - place["x"], there["z"] - place["z"]
        reach, ahead = stage.patches.scene.striking_range
        askew = rot.wrap_angle(np.arctan2(x, z) - stage.looking(ends["posture"], place["yaw"]))
        near = (np.hypot(x, z) < _REACH_SHARE * reach) & (np.abs(askew) < _REACH_SHARE * ahead)
        too_near = np.maximum(_EASY_DISTANCE - np.hypot(x, z), 0.0)
        up = ~lies(stage, target, ticks + round(_RISING_SECONDS * stage.fps))
        return np.where(near & up, too_near, np.inf)

    def _attack(self, who: int, target: int, line: Sequence[int], yielding: Sequence[int]) -> bool:
        """Steps, and one of the attacks that begin after them, at a target that waits for it."""
        composer, stage = self._composer, self._stage
        state = stage.actors[who].state
        steps = composer.locomotion.line(line, state)
        if len(line) > 1 and not self._is_free(who, line, yielding):
            return False
        here = stage.state_after(steps[-1]) if steps else state
        before = composer.remember(who, target)
        for attack in self._order(who, here.posture, here.tick)[:_ATTACKS_TRIED]:
            step = composer.locomotion.placed(attack, here)
            if not stage.clear(stage.stretch([step]), [who, target, *yielding]):
                continue
            stage.perform(who, [*steps, step])
            if (
                self._answers(target, who, step, yielding)
                and has_target(stage, who, np.arange(step.start, step.stop)).any()
            ):
                self._played[who, attack] = step.start
                return True
            composer.take_back(before)
        return False

    def _answers(self, target: int, who: int, attack: Placed, yielding: Sequence[int]) -> bool:
        """Whether the target of an attack is not touched: by its plan, or because it waits, and then dodges
        or gives ground."""
        composer, stage = self._composer, self._stage
        theirs = stage.actors[target].state
        if theirs.tick > attack.start:
            return stage.clear(stage.stretch([attack]), [who, *yielding])
        if target in stage.led:  # a person decides what it does
            return False
        before = composer.remember(target)
        for early in _EVASION_LEADS:
            self._stay(target, who, attack.start - round(early * stage.fps))
            if self._evades(target, who, attack.stop, yielding):
                return True
            composer.take_back(before)
        return False

    def _stay(self, target: int, who: int, until: int) -> None:
        """Let a character stand about until a tick and look at another one; but it finishes its steps."""
        composer, stage, locomotion = self._composer, self._stage, self._composer.locomotion
        while (state := stage.actors[target].state).tick < until:
            if locomotion.can_wait[state.posture]:
                composer.rest(target, until)
                return
            steps = locomotion.step_to(
                target, state.place[:2], self._to(target, who), dislike=self._to_waiting
            )
            stage.perform(target, steps or locomotion.go_on(state))

    def _to(self, target: int, who: int) -> float:
        """Radians: the direction from one character to another, where their plans end."""
        (x, z, _), (hx, hz, _) = (self._stage.actors[one].state.place for one in (target, who))
        return float(np.arctan2(hx - x, hz - z))

    def _evades(self, target: int, who: int, until: int, yielding: Sequence[int]) -> bool:
        """A defence or a step back of a target that touches no character until a tick."""
        composer, stage, locomotion = self._composer, self._stage, self._composer.locomotion
        state = stage.actors[target].state
        after = max(until - state.tick, 0)
        for action in composer.rng.permutation(
            np.array(self._defences[state.posture], dtype=np.int64)
        ).tolist():
            step = locomotion.placed(action, state)
            if stage.clear(stage.stretch([step]), [target, *yielding], after=after):
                stage.perform(target, [step])
                return True
        x, z, _ = state.place
        facing = self._to(target, who)
        back = x - _RETREAT_DISTANCE * np.sin(facing), z - _RETREAT_DISTANCE * np.cos(facing)
        steps = locomotion.step_to(target, back, facing, yielding, after=after)
        if steps:
            stage.perform(target, steps)
        return bool(steps)

    def _order(self, who: int, posture: int, tick: int) -> list[int]:
        """The attacks that begin in a posture: those not done lately, in an order that the seed draws."""
        composer = self._composer
        some = self._attacks[posture]
        drawn = composer.rng.random(len(some))
        ends = composer.stage.graph.end_posture[some]
        price = drawn + _STANCE_SHARE * composer.farness[ends]
        long_ago = tick - ACTION_WINDOW * composer.stage.fps
        stale = np.array([self._played.get((who, one), -(10**9)) > long_ago for one in some])
        return [some[k] for k in np.lexsort((price, stale)).tolist()]
