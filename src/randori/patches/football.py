"""A run with the ball through tacklers. Each tackler waits where the runner will come, and usually misses.
Tacklers who have missed get up and run after the runner."""

from dataclasses import replace

import numpy as np

from randori.graph.places import compose, inverse
from randori.motion import rotations as rot
from randori.patches.compose import NO_WISH, Chosen, Composer, Wish
from randori.patches.fights import rise
from randori.patches.locomotion import cut_before
from randori.patches.novelty import ACTION_WINDOW, SHORT_WINDOW
from randori.patches.prepared import Prepared
from randori.patches.stage import StageCharacter, State, to_row
from randori.timeline.timeline import Placed

AHEAD = 4.0  # seconds that the run is known in advance
VIEW = 8.0  # metres from the runner: tacklers do not appear nearer than that
_TACKLER_DISTANCE = 1.2  # metres that a tackler comes from farther out
_TACKLERS = 72  # enough for two and a half minutes
_GOAL_DISTANCE = 200.0  # metres to the goal of a runner with a command to turn
_WANDERING_ANGLE = 0.15  # radians that the way he wants to changes by with every tackle: drawn by the seed
_TACKLE_INTERVAL = 30.0  # seconds from one time that he is brought down to the next, at least
_CHASE_RANGE = (2.0, 9.0)  # metres from the runner within which tacklers on their feet run after it
_DRAWN_PREFERENCE = 0.3  # preference that the seed draws: as much as 30 cm of the way to the goal
_ONWARD_PREFERENCE = 0.15  # preference for a metre towards where the runner wants to
_OBEYING_SECONDS = 1.5  # seconds after a command in which the runner obeys without tackles
_STEERED_SECONDS = 10.0  # seconds after a command in which he is still steered: then
# seconds at most before the runner can leave an action: a jump or a spin takes twice as long
_LONGEST_COMMITMENT = 0.6
_PATIENT_SECONDS = 2.0  # seconds after which a command that could not be obeyed is forgotten
_LOOK_TOLERANCE = np.deg2rad(50.0)  # tolerance for the look of a waiting tackler at the runner
_ARRIVAL_RADIUS = 1.5  # metres within which the runner has reached the place of a command
_SECONDS_TRIED = 8  # patches for a second tackler
_RUNNER = 0
_RUN_UP = 3  # steps at most
_LYING_HEIGHT = 0.6  # metres of the pelvis above the floor: below it, a tackler lies
_VARIETY_STEPS = 6  # steps in which only a dive may follow another tackle, and another tackle a dive
_PATIENCE_LOSS = 0.4  # with every step, the distance to the beginning of a tackle counts more by this share


class Football:
    """A runner; tacklers come in as they are needed, out of sight."""

    def __init__(self, prepared: Prepared, seed: int, tacklers: int = _TACKLERS):
        self.composer = Composer(prepared, seed)
        self.stage, self.wish = self.composer.stage, NO_WISH
        self.names = ["runner", *(f"tackler {number + 1}" for number in range(tacklers))]
        self.composer.drawn = _DRAWN_PREFERENCE
        self._now, self._missed = 0, 0
        self._heading = 0.0  # radians
        self._brought_down = 0  # tick
        self._steered = False  # a runner with a command is not brought down, because it could not obey
        self._told = 0  # the tick of the last command
        self._steps = 0  # since the last tackle
        stock, arrays = self.stage.stock, prepared.patches.arrays
        lasts = arrays.step["action"][arrays.step_start[2::2] - 1]
        # (2 N,) bool: the tackler lies
        self._dives = np.repeat(stock.height[stock.stop[lasts]] < _LYING_HEIGHT, 2)
        self._dived = False
        # (2 N,) bool: dives, other tackles, all; and (P,) seconds to where one of them can begin
        harmless = ~self.composer.forced & (self.composer.start_posture >= 0) & self.composer.usable
        harmless[1::2] = False
        kinds = [harmless & self._dives, harmless & ~self._dives, harmless]
        self._kinds = [some if some.any() else harmless for some in kinds]
        self._downs = self.composer.forced & (self.composer.start_posture >= 0) & self.composer.usable
        self._downs[1::2] = False
        locomotion = self.composer.locomotion
        self._dislike = [locomotion.seconds_to(self.composer.begins(True, some)) for some in self._kinds]
        self._waits = locomotion.seconds_to(locomotion.can_wait)
        usual = np.where(locomotion.on_feet, self._dislike[-1], np.inf)
        self.stage.enter(StageCharacter("runner", 0, State(int(np.argmin(usual)), (0.0, 0.0, 0.0), 0)))

    def obey(self, wish: Wish, now: int) -> None:
        """Take a command for the runner: cancel what it has not begun yet, and plan again."""
        self.wish, self._missed, self._steered, self._told = replace(wish, since=now), 0, True, now
        self.composer.break_off(_RUNNER, now, self.wish)

    def advance(self, now: int) -> None:
        """Plan until a tick, and a little further."""
        self._now = now
        horizon = now + round(AHEAD * self.stage.fps)
        for who in range(1, len(self.stage)):
            while self.stage.actors[who].state.tick <= now + 1:
                self._attend(who)
        while self.stage.actors[_RUNNER].state.tick < horizon:
            self._run()

    def _goal(self) -> tuple[float, float]:
        """The goal of the runner: as commanded, or along a heading that changes with every tackle."""
        if self.wish.word == "move":
            return self.wish.place
        x, z, _ = self.stage.actors[_RUNNER].state.place
        if self.wish.word == "turn":
            return x + _GOAL_DISTANCE * np.sin(self.wish.facing), z + _GOAL_DISTANCE * np.cos(
                self.wish.facing
            )
        return x + _GOAL_DISTANCE * float(np.sin(self._heading)), z + _GOAL_DISTANCE * float(
            np.cos(self._heading)
        )

    def _run(self) -> None:
        """The next tackler, or on with the run."""
        composer, locomotion, stage = self.composer, self.composer.locomotion, self.stage
        state = stage.actors[_RUNNER].state
        goal, kind = self._goal(), int(self._dived) if self._steps < _VARIETY_STEPS else -1
        if self.wish.word == "avoid":
            avoids = composer.obey_alone(_RUNNER, self.wish)
            late = state.tick > self.wish.since + _PATIENT_SECONDS * stage.fps
            self.wish = NO_WISH if avoids or late else self.wish
            if avoids:
                return
        heeding = bool(self.wish.word) and state.tick < self.wish.since + _OBEYING_SECONDS * stage.fps
        if self._missed <= 0 and not heeding:
            if self._tackled(goal, self._kinds[kind] & self._fresh(state.tick)):
                return
            self._missed = 1
        self._missed -= 1
        if (
            self.wish.word == "move"
            and np.hypot(goal[0] - state.place[0], goal[1] - state.place[1]) < _ARRIVAL_RADIUS
        ):
            self.wish = NO_WISH
        facing = float(np.arctan2(goal[0] - state.place[0], goal[1] - state.place[1]))
        dislike = (1.0 + _PATIENCE_LOSS * self._steps) * self._dislike[kind]
        self._steps += 1
        steps = locomotion.rise(state)
        if not steps and heeding and self.wish.word == "avoid":
            steps = composer.hasten(_RUNNER, self.wish)
        elif not steps and heeding:
            steps = composer.step_anyway(_RUNNER, goal, facing, self.wish)
        elif not steps:
            steps = locomotion.step_to(_RUNNER, goal, facing, dislike=dislike)
            # among fallen tacklers the runner runs on, even if it touches them
            steps = steps or composer.step_anyway(_RUNNER, goal, facing, self.wish)
        stage.perform(_RUNNER, steps or locomotion.go_on(state))

    def _fresh(self, tick: int) -> np.ndarray:
        """(2 N,) bool: parts that the runner did not play lately."""
        window = ACTION_WINDOW if self._steps < _VARIETY_STEPS else SHORT_WINDOW
        return self.composer.novelty.fresh(_RUNNER, tick, window)

    def _tackled(self, goal: tuple[float, float], allowed: np.ndarray) -> bool:
        """The next tackle, by a tackler who stands ahead or by a new one; perhaps a second one at once."""
        composer, stage = self.composer, self.stage
        state, wish = stage.actors[_RUNNER].state, Wish("move", goal)
        composer.taste = composer.novelty.taste(_RUNNER, state.tick)
        if not self._steered:  # where he runs matters less than that he is not tackled the same way again
            composer.taste = composer.taste + _ONWARD_PREFERENCE * composer.preference(
                composer.parts, state, wish
            )
            wish = NO_WISH
        if not self._steered and state.tick - self._brought_down > _TACKLE_INTERVAL * stage.fps:
            allowed = allowed | (self._downs & self._fresh(state.tick))
            composer.taste = composer.taste + self._downs
        if self._steered and state.tick - self._told < _STEERED_SECONDS * stage.fps:
            allowed = allowed & (composer.commitment() <= _LONGEST_COMMITMENT)
        chosen = None
        if ahead := self._ahead(state):
            chosen = composer.engage(_RUNNER, ahead, wish, (0,), allowed)
        if chosen is None and len(stage) < len(self.names):
            name = self.names[len(stage)]
            chosen = composer.engage_newcomer(_RUNNER, name, len(stage), self._enter, wish, (0,), allowed)
        if chosen is None:
            return False
        composer.novelty.play(_RUNNER, chosen.number, chosen.tick)
        self._heading += float(composer.rng.normal(0.0, _WANDERING_ANGLE))
        if self._downs[2 * chosen.number]:
            self._brought_down = chosen.tick
        self._steps, self._dived = 0, bool(self._dives[2 * chosen.number])
        self._join_in(chosen)
        return True

    def _ahead(self, state: State) -> list[int]:
        """Tacklers on their feet who have time to come to where the runner will be."""
        x, z, _ = state.place
        near = []
        for who in range(1, len(self.stage)):
            actor = self.stage.actors[who].state
            away = np.hypot(actor.place[0] - x, actor.place[1] - z)
            stands = self.composer.locomotion.on_feet[actor.posture]
            if stands and away < VIEW and actor.tick < state.tick:
                near.append(who)
        return near

    def _join_in(self, chosen: Chosen) -> None:
        """A second tackler at the same time: a patch beside the first, in which the runner does the same."""
        stage, composer = self.stage, self.composer
        parts, begin = stage.ways.parts, stage.begin
        rows = stage.patches.beside(chosen.number, 0)
        rows = rows[(rows["other_role"] == 0) & composer.usable[2 * rows["other"]]]
        ends = parts["last"] - parts["first"] + begin
        rows = rows[rows["tick"] + ends[2 * rows["other"]] <= ends[2 * chosen.number]]
        for row in composer.rng.permutation(len(rows))[:_SECONDS_TRIED].tolist():
            number, tick = int(rows["other"][row]), chosen.tick + int(rows["tick"][row])
            shared = tick + int(begin[2 * number])
            step = next(one for one in stage.actors[_RUNNER].steps[::-1] if one.start <= shared)
            before = inverse(composer.first_place(np.array([2 * number])))
            place = compose(before, to_row(step.placement)[None])[0]
            stretch = stage.part(number, 1, place, tick)
            fits = self._fresh(tick)[2 * number] and stage.clear(stretch, [_RUNNER])
            if fits and self._comes(number, place, tick, chosen.partner):
                composer.novelty.play(_RUNNER, number, tick)
                return

    def _comes(self, number: int, place: np.ndarray, tick: int, partner: int) -> bool:
        """A tackler who stands near, or a new one, plays the second part of a patch."""
        stage, composer = self.stage, self.composer
        begin = stage.start_of(2 * number + 1, place, tick)
        steps = stage.steps_of(number, 1, place, tick)
        for who in self._ahead(stage.actors[_RUNNER].state):
            met = composer.locomotion.meet(who, begin, 0) if who != partner else None
            if met is not None and met[1] == 0:
                stage.perform(who, met[0] + steps)
                stage.tell(number, place, tick, (_RUNNER, who))
                composer.usage.use(number)
                return True
        way = self._enter(begin) if len(stage) < len(self.names) else None
        if way is None or (way and not stage.clear(stage.stretch(way))):
            return False
        who = stage.enter(StageCharacter(self.names[len(stage)], len(stage), begin))
        stage.perform(who, way + steps)
        stage.tell(number, place, tick, (_RUNNER, who))
        composer.usage.use(number)
        return True

    def _enter(self, state: State) -> list[Placed] | None:
        """The way of a tackler to the start of a tackle: out of sight until now, or there all the time."""
        stage, locomotion = self.stage, self.composer.locomotion
        runner = stage.actors[_RUNNER].state.place
        run_up = self._run_up(state)
        before = locomotion.state_before(run_up[0]) if run_up else state
        steps = locomotion.way_in(before, runner, _TACKLER_DISTANCE + np.hypot(
            before.place[0] - runner[0], before.place[1] - runner[1]), self._now)  # fmt: skip
        if not steps:
            return None
        steps += run_up
        first = locomotion.state_before(steps[0])
        here = stage.spots(self._now)[_RUNNER]
        seen = np.hypot(first.place[0] - here[0], first.place[1] - here[1]) < VIEW
        if self._now == 0 and first.tick <= 0 <= state.tick:
            # already on the way when the scene begins
            return [cut_before(step, 0) for step in steps if step.stop > 0]
        if first.tick <= self._now or (seen and self._now > 0) or not locomotion.can_wait[first.posture]:
            return None
        return locomotion.wait_before(first, 0) + steps

    def _run_up(self, state: State) -> list[Placed]:
        """The steps before a tackle that starts where no other step does."""
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
        """A tackler who has missed gets up and looks at the runner."""
        state = self.stage.actors[who].state
        locomotion = self.composer.locomotion
        if not locomotion.on_feet[state.posture]:
            rise(self.composer, who)
        else:
            self._look_after(who)

    def _look_after(self, who: int) -> None:
        """A tackler on its feet turns to the runner, and runs after it while it is near."""
        stage, locomotion = self.stage, self.composer.locomotion
        state, (x, z) = stage.actors[who].state, stage.spots(self._now)[_RUNNER]
        dx, dz = x - state.place[0], z - state.place[1]
        away, facing = float(np.hypot(dx, dz)), float(np.arctan2(dx, dz))
        askew = abs(rot.wrap_angle(stage.facing(state) - facing)) > _LOOK_TOLERANCE
        if _CHASE_RANGE[0] < away < _CHASE_RANGE[1] and self._now > 0:
            goal, dislike = (x - dx / away * _CHASE_RANGE[0], z - dz / away * _CHASE_RANGE[0]), None
        else:
            goal, dislike = state.place[:2], self._waits
        if askew or dislike is None or not locomotion.can_wait[state.posture]:
            steps = locomotion.step_to(who, goal, facing, dislike=dislike)
            stage.perform(who, steps or locomotion.go_on(state))
        else:
            self.composer.rest(who)
