"""A run with the ball through tacklers: each of them waits where the runner will come, and misses."""

import numpy as np

from randori.patches.compose import NO_WISH, Composer, Wish
from randori.patches.fights import rise
from randori.patches.locomotion import cut_before
from randori.patches.prepared import Prepared
from randori.patches.stage import Actor, State
from randori.timeline.timeline import Placed

AHEAD = 4.0  # seconds that the run is known in advance
VIEW = 8.0  # metres from the runner: nobody appears nearer than that
_OUT = 1.2  # metres that a tackler comes from farther out
_TACKLERS = 24
_FIELD = 200.0  # metres to where the runner wants to
_RUNNER = 0
_RUN_UP = 3  # steps at most
_LOW = 0.6  # metres of the pelvis above the floor: who dived lies
_CHOOSY = 6  # steps in which after a dive only another tackle will do, and the other way around
_PATIENCE = 0.4  # of itself that it counts more with every step how far it is to where a tackle can begin


class Football:
    """A runner; tacklers come in as they are needed, out of sight."""

    def __init__(self, prepared: Prepared, seed: int, tacklers: int = _TACKLERS):
        self.composer = Composer(prepared, seed)
        self.stage, self.wish = self.composer.stage, NO_WISH
        self.names = ["runner", *(f"tackler {number + 1}" for number in range(tacklers))]
        self._now, self._missed = 0, 0
        self._steps = 0  # since the last tackle
        stock, arrays = self.stage.stock, prepared.patches.arrays
        lasts = arrays.step["action"][arrays.step_start[2::2] - 1]
        self._dives = np.repeat(stock.height[stock.stop[lasts]] < _LOW, 2)  # (2 N,) bool: the tackler lies
        self._dived = False
        # (2 N,) bool: dives, other tackles, all; and (P,) seconds to where one of those can begin
        harmless = ~self.composer.forced & (self.composer.start_posture >= 0)
        harmless[1::2] = False
        kinds = [harmless & self._dives, harmless & ~self._dives, harmless]
        self._kinds = [some if some.any() else harmless for some in kinds]
        locomotion = self.composer.locomotion
        self._dislike = [locomotion.seconds_to(self.composer.begins(True, some)) for some in self._kinds]
        usual = np.where(locomotion.on_feet, self._dislike[-1], np.inf)
        self.stage.enter(Actor("runner", 0, State(int(np.argmin(usual)), (0.0, 0.0, 0.0), 0)))

    def advance(self, now: int) -> None:
        """Plan so far that everything until a tick, and a little more, is known."""
        self._now = now
        horizon = now + round(AHEAD * self.stage.fps)
        for who in range(1, len(self.stage)):
            while self.stage.actors[who].state.tick <= now + 1:
                self._attend(who)
        while self.stage.actors[_RUNNER].state.tick < horizon:
            self._run()

    def _goal(self) -> tuple[float, float]:
        if self.wish.word == "move":
            return self.wish.place
        x, z, _ = self.stage.actors[_RUNNER].state.place
        if self.wish.word == "turn":
            return x + _FIELD * np.sin(self.wish.facing), z + _FIELD * np.cos(self.wish.facing)
        return 0.3 * x, z + _FIELD

    def _run(self) -> None:
        """The next tackler, or on with the run."""
        composer, locomotion, stage = self.composer, self.composer.locomotion, self.stage
        state = stage.actors[_RUNNER].state
        goal = self._goal()
        kind = int(self._dived) if self._steps < _CHOOSY else -1
        if len(stage) < len(self.names) and self._missed <= 0:
            wish = Wish("move", goal) if self.wish.word != "avoid" else self.wish
            chosen = composer.engage_newcomer(
                _RUNNER, self.names[len(stage)], len(stage), self._enter, wish, (0,), True, self._kinds[kind]
            )
            if chosen is not None:
                self.wish = self.wish if self.wish.word in ("move", "turn") else NO_WISH
                self._steps, self._dived = 0, bool(self._dives[2 * chosen.number])
                return
            self._missed = 1
        self._missed -= 1
        facing = float(np.arctan2(goal[0] - state.place[0], goal[1] - state.place[1]))
        dislike = (1.0 + _PATIENCE * self._steps) * self._dislike[kind]
        self._steps += 1
        steps = locomotion.rise(state) or locomotion.step_to(_RUNNER, goal, facing, dislike=dislike)
        stage.perform(_RUNNER, steps or locomotion.line(locomotion.any_step(state), state))

    def _enter(self, state: State) -> list[Placed] | None:
        """How a tackler gets to where a tackle begins: out of sight until now, or there all the time."""
        stage, locomotion = self.stage, self.composer.locomotion
        runner = stage.actors[_RUNNER].state.place
        run_up = self._run_up(state)
        before = locomotion.state_before(run_up[0]) if run_up else state
        steps = locomotion.way_in(before, runner, _OUT + np.hypot(
            before.place[0] - runner[0], before.place[1] - runner[1]), self._now)  # fmt: skip
        if not steps:
            return None
        steps += run_up
        first = locomotion.state_before(steps[0])
        here = stage.spots(self._now)[_RUNNER]
        seen = np.hypot(first.place[0] - here[0], first.place[1] - here[1]) < VIEW
        if self._now == 0 and first.tick <= 0 <= state.tick:
            return [cut_before(step, 0) for step in steps if step.stop > 0]  # on the way as the scene begins
        if first.tick <= self._now or (seen and self._now > 0) or not locomotion.can_wait[first.posture]:
            return None
        return locomotion.wait_before(first, 0) + steps

    def _run_up(self, state: State) -> list[Placed]:
        """What has to be done before a tackle that starts where no other step does."""
        locomotion, graph = self.composer.locomotion, self.stage.graph
        steps: list[Placed] = []
        while not locomotion.on_feet[state.posture] and len(steps) < _RUN_UP:
            leading = [
                action
                for action in graph.actions[graph.end_posture[graph.actions] == state.posture].tolist()
                if self.stage.library.tags[action].kind == "locomotion"
            ]
            if not leading:
                break
            steps.insert(0, locomotion.placed_before(leading[0], state))
            state = locomotion.state_before(steps[0])
        return steps

    def _attend(self, who: int) -> None:
        """Who has missed gets up and looks after the runner."""
        state = self.stage.actors[who].state
        locomotion = self.composer.locomotion
        if not locomotion.on_feet[state.posture]:
            rise(self.composer, who)
        elif locomotion.can_wait[state.posture]:
            self.composer.rest(who)
        else:
            steps = locomotion.step_to(who, state.place[:2])
            self.stage.perform(who, steps or locomotion.line(locomotion.any_step(state), state))
