"""Luggage is passed along: from hand to hand, every piece with the patches that its size and weight need."""

from collections.abc import Sequence

import numpy as np

from randori.motion.clip import Clip
from randori.patches.carried import Grip, carry
from randori.patches.compose import Composer, Wish
from randori.patches.handing import grip_of
from randori.patches.locomotion import Locomotion
from randori.patches.prepared import Prepared
from randori.patches.stage import Actor, State
from randori.timeline.timeline import Placed

AHEAD = 1.0  # seconds that carrying is known in advance
_PEOPLE = 5  # in each row
_ROWS_APART = 4.0  # metres
_CARRIED = 2.4  # metres that each of them carries it
_ON = 0.5  # metres more, if nobody can be handed to here
_RESTLESS = 1.0  # seconds that it counts to stand about on the way: who starts is slow at first


class _Row:
    """One piece and those who pass it on."""

    def __init__(self, piece: str, place: tuple[float, float]):
        self.piece, self.place = piece, place
        self.people: list[int] = []
        self.grips: list[Grip] = []
        self.since = place  # where the one who has it got it
        self.far = 0.0  # metres from there to where it is handed on
        self.done = False


class Relay:
    """Rows of people, each with a piece of luggage that goes from the first to the last."""

    def __init__(
        self,
        prepared: Prepared,
        seed: int,
        pieces: tuple[str, ...] = ("bag", "box", "suitcase"),
        people: int = _PEOPLE,
        carried: float = _CARRIED,
    ):
        """So many people for each piece; each of them carries it for so many metres."""
        self.composer = Composer(prepared, seed)
        self.stage = self.composer.stage
        stock = self.stage.stock
        self.library = prepared.graph.library
        self._load = stock.load
        self._first_load = self._load[self.composer.first_action]
        self._empty = Locomotion(self.stage, lambda action: int(self._load[action]) == -1)
        self._carrying: dict[int, Locomotion] = {}
        self._dislike: dict[int, np.ndarray] = {}
        self._now = 0
        self._people, self._carried = people, carried
        self.rows = [_Row(piece, (_ROWS_APART * number, 0.0)) for number, piece in enumerate(pieces)]
        self.names = [f"porter {number + 1}" for number in range(people * len(pieces))]
        for row in self.rows:
            self._pick_up(row)

    def obey(self, wish: Wish, now: int) -> None:
        """Nobody is steered here."""

    def advance(self, now: int) -> None:
        """Plan so far that everything until a tick, and a little more, is known."""
        self._now = now
        for row in self.rows:
            while not row.done and self._state(row.people[-1]).tick < now + round(AHEAD * self.stage.fps):
                self._pass_on(row)
        for who in range(len(self.stage)):
            while self._state(who).tick <= now + 1:
                self._attend(who)

    def _state(self, who: int) -> State:
        return self.stage.actors[who].state

    def _carrier(self, load: int) -> Locomotion:
        if load not in self._carrying:
            self._carrying[load] = Locomotion(self.stage, lambda action: int(self._load[action]) == load)
        return self._carrying[load]

    def _seconds_to_giving(self, load: int) -> np.ndarray:
        """(P,) how far postures are from where something can be handed over."""
        if load not in self._dislike:
            gives = (self._first_load == load) & (self.composer.parts % 2 == 0)
            self._dislike[load] = self._seconds_to(load, self.composer.first_action[gives])
        return self._dislike[load]

    def _seconds_to(self, load: int, actions: np.ndarray) -> np.ndarray:
        """(P,) how far postures are from where one of some actions begins."""
        begins = np.zeros(self.stage.stock.postures, dtype=bool)
        begins[self.stage.stock.start_posture[actions]] = True
        return self._carrier(load).seconds_to(begins)

    def _doing(self, technique: str, piece: str) -> list[int]:
        tags, graph = self.library.tags, self.stage.graph
        return [
            action
            for action in graph.actions.tolist()
            if tags[action].technique == technique and tags[action].position == piece
        ]

    def _grip_tick(self, step: Placed) -> int:
        return step.start + grip_of(self.library, step.action).frame - step.first

    def _note(self, row: _Row, step: Placed, who: int) -> None:
        """Somebody gets hold of it in a step, or puts it down."""
        tags = self.library.tags[step.action]
        hand = "" if tags.technique == "put down" else tags.side
        row.grips.append(Grip(self._grip_tick(step), who, hand))

    # -- the way of a piece ------------------------------------------------------------------------

    def _pick_up(self, row: _Row) -> None:
        """The first one takes the piece from the floor."""
        starts = self.composer.begins(unharmed=True)
        some = [
            action
            for action in self._doing("pick up", row.piece)
            if self._empty.can_wait[self.stage.graph.start_posture[action]]
        ]
        some.sort(key=lambda action: (not starts[self.stage.graph.end_posture[action]], action))
        action = some[0]
        posture = int(self.stage.graph.start_posture[action])
        who = self.stage.enter(
            Actor(self.names[len(self.stage)], len(self.stage), State(posture, (*row.place, 0.0), 0))
        )
        state = self._state(who)
        waits = self._empty.wait(state, 30 + 20 * len(row.people) + int(self.composer.rng.integers(40)))
        step = self._empty.placed(action, state._replace(tick=waits[-1].stop))
        self.stage.perform(who, [*waits, step])
        self._begin(row, who, step)

    def _begin(self, row: _Row, who: int, step: Placed) -> None:
        row.people.append(who)
        self._note(row, step, who)
        row.since, row.far = self._state(who).place[:2], self._carried

    def _pass_on(self, row: _Row) -> None:
        """On with it: some steps, then to the next; the last one puts it down."""
        who = row.people[-1]
        stage, state = self.stage, self._state(who)
        load = int(self._load[stage.actors[who].steps[-1].action])
        carrier = self._carrier(load)
        gone = float(np.hypot(state.place[0] - row.since[0], state.place[1] - row.since[1]))
        there = gone >= row.far
        if there and len(row.people) < self._people and len(stage) < len(self.names):
            chosen = self.composer.engage_newcomer(
                who, self.names[len(stage)], len(stage), self._enter, roles=(0,),
                allowed=self._first_load == load,
            )  # fmt: skip
            if chosen is not None:
                taking = next(
                    step
                    for step in stage.actors[chosen.partner].steps
                    if step.action >= 0 and self.library.tags[step.action].technique == "receive"
                )
                self._begin(row, chosen.partner, taking)
                return
            if self._seconds_to_giving(load)[state.posture] == 0.0:
                row.far, there = gone + _ON, False  # not here
        last = len(row.people) == self._people
        putting = [action for action in self._doing("put down", row.piece) if self._load[action] == load]
        if there and last:
            for action in putting:
                if stage.graph.start_posture[action] == state.posture:
                    step = carrier.placed(action, state)
                    stage.perform(who, [step])
                    self._note(row, step, who)
                    row.done = True
                    return
        goal = (row.place[0], state.place[1] + (0.5 if there else 10.0))
        if not there:
            dislike = _RESTLESS * carrier.can_wait
        elif last:
            dislike = self._seconds_to(load, np.array(putting, dtype=np.int64))
        else:
            dislike = self._seconds_to_giving(load)
        steps = carrier.step_to(who, goal, 0.0, dislike=dislike)
        if steps:
            stage.perform(who, steps)
        elif carrier.can_wait[state.posture]:
            stage.perform(who, [carrier.stand(state)])
        else:
            stage.perform(who, carrier.line(carrier.any_step(state), state))

    def _enter(self, state: State) -> list[Placed] | None:
        """Who receives waits there from the beginning on, or comes a few steps."""
        if self._empty.can_wait[state.posture]:
            return self._empty.wait_before(state, 0) if state.tick > 0 else None
        steps = self._empty.way_in(state, (state.place[0], state.place[1] - 2.0), 2.5, 0)
        first = self._empty.state_before(steps[0]) if steps else state
        if not steps or first.tick <= self._now or not self._empty.can_wait[first.posture]:
            return None
        return self._empty.wait_before(first, 0) + steps

    def _attend(self, who: int) -> None:
        """Who has handed over stays there, and looks after it."""
        stage, state = self.stage, self._state(who)
        load = int(self._load[stage.actors[who].steps[-1].action])
        mover = self._empty if load < 0 else self._carrier(load)
        if mover.can_wait[state.posture]:
            steps = [mover.stand(state)]
        elif not mover.on_feet[state.posture]:
            steps = self._empty.rise(state)
        else:
            steps = mover.step_to(who, state.place[:2], stage.facing(state))
        stage.perform(who, steps or mover.line(mover.any_step(state), state))

    # -- where the luggage is ----------------------------------------------------------------------

    def hold(self, clips: Sequence[Clip]) -> list[Clip]:
        """Everybody with their hands on what they carry."""
        held = list(clips)
        for row in self.rows:
            held = carry(row.piece, row.grips, held, self.stage.fps).clips
        return held

    def ways(self, clips: Sequence[Clip]) -> list[np.ndarray]:
        """For each piece (F, 4) metres and radians: x, y, z of its middle and its yaw, as hands have it."""
        return [carry(row.piece, row.grips, clips, self.stage.fps).way for row in self.rows]
