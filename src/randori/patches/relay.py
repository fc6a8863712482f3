"""Luggage is passed along: from hand to hand, every piece with the patches that its size and weight need."""

from collections.abc import Sequence

import numpy as np

from randori.errors import RandoriError
from randori.motion import rotations as rot
from randori.motion.clip import Clip
from randori.patches.carried import Grip, carry
from randori.patches.compose import Chosen, Composer, Wish
from randori.patches.handing import grip_of
from randori.patches.locomotion import Locomotion
from randori.patches.prepared import Prepared
from randori.patches.stage import Stage, StageCharacter, State
from randori.timeline.timeline import Placed

AHEAD = 4.0  # seconds that carrying is known in advance: the time that the next one has to come
_PEOPLE = 5  # people in each row
ROWS_APART = 4.0  # metres
_CARRYING_DISTANCE = 2.4  # metres that each of them carries it
_ASIDE, _NEAR = (
    1.1,
    0.4,
)  # metres from the line that a piece is carried along to where porters wait; and off it
_LOOK_TOLERANCE = np.deg2rad(60.0)  # tolerance for the look of a waiting porter at the carrier
_STALLED, _AROUND = 4.0, 4.0  # seconds in which a carrier does not get on; metres aside that lead around
_TOO_FAR = 4.0  # metres more: then it is put down
_PAUSE = 1.0  # seconds between putting a piece down and taking it back
_CARRYING_ON = 0.5  # metres more, if there is no porter to hand to here
_STANDING_PRICE = 1.0  # price in seconds of standing on the way: a first step is slow


class _Row:
    """One piece and the porters who pass it on."""

    def __init__(self, piece: str, place: tuple[float, float]):
        self.piece, self.place = piece, place
        self.people: list[int] = []
        self.grips: list[Grip] = []
        self.since = place  # where the present carrier received it
        self.far = 0.0  # metres from there to where it is handed on
        self.hands = 1  # number of porters that the piece passes before it is put down
        self.way = 1.0  # along z; reversed when the piece has arrived
        self.rounds = 0  # times that it has arrived
        self.over = False  # it stays where it is
        self.seen = (0, *place)  # a tick, and where the carrier was then
        self.detour = 0.0  # metres aside


class Relay:
    """Rows of people, each with a piece of luggage that goes from the first to the last."""

    def __init__(
        self,
        prepared: Prepared,
        seed: int,
        pieces: tuple[str, ...] = ("bag", "box", "suitcase"),
        people: int = _PEOPLE,
        carried: float = _CARRYING_DISTANCE,
    ):
        """Several people for each piece; each of them carries it for `carried` metres."""
        self.stage = Stage(prepared)
        self.library, self._load = prepared.graph.library, self.stage.stock.load
        self._empty = Locomotion(self.stage, lambda action: int(self._load[action]) == -1)
        self.composer = Composer(prepared, seed, self._empty)  # porters who are called have empty hands
        self._first_load = self._load[self.composer.first_action]
        self._waits = self._empty.seconds_to(self._empty.can_wait)
        self._carrying: dict[int, Locomotion] = {}
        self._dislike: dict[int, np.ndarray] = {}
        self._now = 0
        self._people, self._carried = people, carried
        self.rows = [_Row(piece, (ROWS_APART * number, 0.0)) for number, piece in enumerate(pieces)]
        self.names = [f"porter {number + 1}" for number in range(people * len(pieces))]
        for row in self.rows:
            self._pick_up(row)

    def obey(self, wish: Wish, now: int) -> None:
        """No character is steered here."""

    def advance(self, now: int) -> None:
        """Plan until a tick, and a little further."""
        self._now = now
        for row in self.rows:
            while not row.over and self._state(row.people[-1]).tick < now + round(AHEAD * self.stage.fps):
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
        """A porter takes hold of the piece in a step, or puts it down."""
        tags = self.library.tags[step.action]
        hand = "" if tags.technique == "put down" else tags.side
        row.grips.append(Grip(self._grip_tick(step), who, hand))

    # -- the way of a piece ------------------------------------------------------------------------

    def _pick_up(self, row: _Row) -> None:
        """The first one takes the piece from the floor."""
        starts = self.composer.begins(unharmed=True)
        graph, can_wait = self.stage.graph, self._empty.can_wait

        def unfitness(action: int) -> tuple[bool, bool, int]:
            waits, begins = can_wait[graph.start_posture[action]], starts[graph.end_posture[action]]
            return not waits, not begins, action

        some = sorted(self._doing("pick up", row.piece), key=unfitness)
        if not some:
            raise RandoriError(f"luggage: no motion picks up a {row.piece}; record one, or leave it out")
        action = some[0]
        posture = int(graph.start_posture[action])
        who = self.stage.enter(
            StageCharacter(self.names[len(self.stage)], len(self.stage), State(posture, (*row.place, 0.0), 0))
        )
        state = self._state(who)
        pause = 30 + 20 * len(row.people) + int(self.composer.rng.integers(40))
        waits = self._empty.wait(state, pause) if can_wait[posture] else []
        step = self._empty.placed(action, state._replace(tick=waits[-1].stop) if waits else state)
        self.stage.perform(who, [*waits, step])
        self._begin(row, who, step)

    def _begin(self, row: _Row, who: int, step: Placed) -> None:
        row.people.append(who)
        self._note(row, step, who)
        row.since, row.far = self._state(who).place[:2], self._carried
        row.hands += 1

    def _pass_on(self, row: _Row) -> None:
        """On with it: some steps, then to the next; the last one puts it down."""
        who = row.people[-1]
        stage, state = self.stage, self._state(who)
        load = int(self._load[stage.actors[who].steps[-1].action])
        carrier = self._carrier(load)
        gone = float(np.hypot(state.place[0] - row.since[0], state.place[1] - row.since[1]))
        there = gone >= row.far
        last = row.hands > self._people or gone > row.far + _TOO_FAR
        if there and not last:
            chosen = self._hand_on(row, who, load)
            if chosen is not None:
                taking = next(
                    step
                    for step in stage.actors[chosen.partner].steps[::-1]
                    if step.action >= 0 and self.library.tags[step.action].technique == "receive"
                )
                self._begin(row, chosen.partner, taking)
                return
            if self._seconds_to_giving(load)[state.posture] == 0.0:
                row.far, there = row.far + _CARRYING_ON, False  # not here
        putting = [action for action in self._doing("put down", row.piece) if self._load[action] == load]
        if there and last:
            for action in putting:
                if stage.graph.start_posture[action] == state.posture:
                    step = carrier.placed(action, state)
                    stage.perform(who, [step])
                    self._note(row, step, who)
                    self._turn_back(row, who)
                    return
        goal = (row.place[0] + self._detour(row, state), state.place[1] + row.way * (0.5 if there else 10.0))
        if not there:
            dislike = _STANDING_PRICE * carrier.can_wait
        elif last:
            dislike = self._seconds_to(load, np.array(putting, dtype=np.int64))
        else:
            dislike = self._seconds_to_giving(load)
        facing = 0.0 if row.way > 0.0 else np.pi
        stage.perform(who, carrier.step_to(who, goal, facing, dislike=dislike) or carrier.go_on(state))

    def _detour(self, row: _Row, state: State) -> float:
        """Metres aside, for a carrier who has been stuck for a while: around the obstacle."""
        tick, x, z = row.seen
        if state.tick - tick > _STALLED * self.stage.fps:
            stalled = np.hypot(state.place[0] - x, state.place[1] - z) < _CARRYING_ON
            row.detour = _AROUND * float(self.composer.rng.choice([-1.0, 1.0])) if stalled else 0.0
            row.seen = (state.tick, state.place[0], state.place[1])
        return row.detour

    def _hand_on(self, row: _Row, who: int, load: int) -> Chosen | None:
        """Hand a piece to a porter of the row whose hands are free, or to a new one."""
        stage, composer = self.stage, self.composer
        state = self._state(who)
        allowed = self._first_load == load
        owner = self.rows.index(row)
        fresh = allowed & composer.novelty.fresh(owner, state.tick)
        allowed = fresh if fresh.any() else allowed
        free = [
            one
            for one in dict.fromkeys(row.people[:-1])
            if one != who
            and self._empty.on_feet[self._state(one).posture]
            and self._state(one).tick < state.tick
        ]
        chosen = composer.engage(who, free, roles=(0,), allowed=allowed) if free and row.rounds else None
        if chosen is None and len(set(row.people)) < self._people:
            name = self.names[len(stage)]
            chosen = composer.engage_newcomer(who, name, len(stage), self._enter, roles=(0,), allowed=allowed)
        if chosen is not None:
            composer.novelty.play(owner, chosen.number, chosen.tick)
        return chosen

    def _turn_back(self, row: _Row, who: int) -> None:
        """A piece has arrived: after a while its carrier takes it, or the next one, back."""
        state = self._state(who)
        waits = self._empty.can_wait[state.posture]
        some = [
            action
            for action in self._doing("pick up", row.piece)
            if self.stage.graph.start_posture[action] == state.posture
        ]
        row.way, row.hands, row.rounds = -row.way, 1, row.rounds + 1
        steps = self._empty.wait(state, state.tick + round(_PAUSE * self.stage.fps)) if waits else []
        if steps:
            self.stage.perform(who, steps, state._replace(tick=steps[-1].stop))
        if some:
            step = self._empty.placed(some[int(self.composer.rng.integers(len(some)))], self._state(who))
            self.stage.perform(who, [step])
            row.people.append(who)
            self._note(row, step, who)
            row.since, row.far = self._state(who).place[:2], self._carried
        else:
            row.over = True  # no porter can take it from where it stands

    def _enter(self, state: State) -> list[Placed] | None:
        """The receiver waits there from the beginning on, or comes a few steps."""
        if self._empty.can_wait[state.posture]:
            return self._empty.wait_before(state, 0) if state.tick > 0 else None
        steps = self._empty.way_in(state, (state.place[0], state.place[1] - 2.0), 2.5, 0)
        first = self._empty.state_before(steps[0]) if steps else state
        if not steps or first.tick <= self._now or not self._empty.can_wait[first.posture]:
            return None
        return self._empty.wait_before(first, 0) + steps

    def _attend(self, who: int) -> None:
        """After a handover, a porter steps aside, so that the piece can come back, and looks at it."""
        empty, state = self._empty, self._state(who)
        steps: list[Placed] = []
        if empty.on_feet[state.posture]:
            row = next(row for row in self.rows if who in row.people)
            x, z, _ = state.place
            cx, cz = self._state(row.people[-1]).place[:2]
            side = row.place[0] + (_ASIDE if who % 2 else -_ASIDE)
            facing = float(np.arctan2(cx - x, cz - z))
            askew = abs(rot.wrap_angle(self.stage.facing(state) - facing)) > _LOOK_TOLERANCE
            if askew or abs(x - side) > _NEAR or not empty.can_wait[state.posture]:
                steps = empty.step_to(who, (side, z), facing, dislike=self._waits)
        self.stage.perform(who, steps or empty.go_on(state))

    # -- where the luggage is ----------------------------------------------------------------------

    def hold(self, clips: Sequence[Clip]) -> list[Clip]:
        """All porters with their hands on their pieces."""
        held = list(clips)
        for row in self.rows:
            held = carry(row.piece, row.grips, held, self.stage.fps).clips
        return held

    def ways(self, clips: Sequence[Clip]) -> list[np.ndarray]:
        """For each piece (F, 4) metres and radians: x, y, z of its middle and its yaw, as hands have it."""
        return [carry(row.piece, row.grips, clips, self.stage.fps).way for row in self.rows]
