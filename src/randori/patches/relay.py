"""Luggage is passed along: from hand to hand, every piece with the patches that its size and weight need."""

from collections.abc import Sequence
from typing import NamedTuple, cast

import numpy as np

from randori.graph.library import ActionLibrary
from randori.motion import rotations as rot
from randori.motion.clip import Clip
from randori.motion.skeleton import Skeleton
from randori.patches.compose import NO_WISH, Composer
from randori.patches.handing import grip_of, luggage_at
from randori.patches.locomotion import Locomotion
from randori.patches.prepared import Prepared
from randori.patches.stage import Actor, State
from randori.performer.limbs import smooth_step
from randori.performer.luggage import PIECES
from randori.timeline.timeline import Placed

AHEAD = 1.0  # seconds that carrying is known in advance
_PEOPLE = 5  # in each row
_ROWS_APART = 4.0  # metres
_CARRIED = 3  # steps between two who hand over
_EASE = 0.25  # seconds in which a piece comes to where new hands have it
_ON = 2  # steps more, if nobody can be handed to here
_HOME = 0.6  # metres from where somebody stood at first: near enough


class Grip(NamedTuple):
    """From a tick on somebody has hold of a piece; nobody: it stands on the floor."""

    tick: int
    who: int
    hand: str  # left, right, both; nothing if it stands on the floor


class _Row:
    """One piece and those who pass it on."""

    def __init__(self, piece: str, place: tuple[float, float]):
        self.piece, self.place = piece, place
        self.people: list[int] = []
        self.grips: list[Grip] = []
        self.steps = _CARRIED
        self.done = False


class Relay:
    """Rows of people, each with a piece of luggage that goes from the first to the last."""

    def __init__(self, prepared: Prepared, seed: int, pieces: tuple[str, ...] = ("bag", "box", "suitcase")):
        self.composer = Composer(prepared, seed)
        self.stage, self.wish = self.composer.stage, NO_WISH
        stock = self.stage.stock
        self.library = prepared.graph.library
        self._load = stock.load
        self._first_load = self._load[self.composer.first_action]
        self._empty = Locomotion(self.stage, lambda action: int(self._load[action]) == -1)
        self._carrying: dict[int, Locomotion] = {}
        self._dislike: dict[int, np.ndarray] = {}
        self._homes: dict[int, tuple[float, float, float]] = {}
        self._now = 0
        self.rows = [_Row(piece, (_ROWS_APART * number, 0.0)) for number, piece in enumerate(pieces)]
        self.names = [f"porter {number + 1}" for number in range(_PEOPLE * len(pieces))]
        for row in self.rows:
            self._pick_up(row)

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
            composer = self.composer
            gives = (self._first_load == load) & (composer.parts % 2 == 0)
            begins = np.zeros(self.stage.stock.postures, dtype=bool)
            begins[self.stage.stock.start_posture[composer.first_action[gives]]] = True
            self._dislike[load] = self._carrier(load).seconds_to(begins)
        return self._dislike[load]

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
        self._homes[who] = self._state(who).place
        self._note(row, step, who)
        row.steps = _CARRIED

    def _pass_on(self, row: _Row) -> None:
        """On with it: some steps, then to the next; the last one puts it down."""
        who = row.people[-1]
        stage, state = self.stage, self._state(who)
        load = int(self._load[stage.actors[who].steps[-1].action])
        carrier = self._carrier(load)
        if row.steps <= 0 and len(row.people) < _PEOPLE and len(stage) < len(self.names):
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
                self._homes[who] = (*self._homes[who][:2], stage.facing(state))
                self._begin(row, chosen.partner, taking)
                return
            if self._seconds_to_giving(load)[state.posture] == 0.0:
                row.steps = _ON  # not here
        if row.steps <= 0 and len(row.people) == _PEOPLE:
            for action in self._doing("put down", row.piece):
                if stage.graph.start_posture[action] == state.posture and self._load[action] == load:
                    step = carrier.placed(action, state)
                    stage.perform(who, [step])
                    self._note(row, step, who)
                    row.done = True
                    return
        row.steps -= 1
        away = 10.0 if row.steps > 0 else 0.5
        goal = (row.place[0], state.place[1] + away)
        dislike = self._seconds_to_giving(load) if row.steps <= 0 else None
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
        """Who has handed over goes back to where it stood, and waits."""
        stage, state = self.stage, self._state(who)
        load = int(self._load[stage.actors[who].steps[-1].action])
        mover = self._empty if load < 0 else self._carrier(load)
        home = self._homes[who]
        settled = np.hypot(state.place[0] - home[0], state.place[1] - home[1]) < _HOME
        settled = settled and abs(rot.wrap_angle(stage.facing(state) - home[2])) < 0.6
        steps = [] if settled and mover.can_wait[state.posture] else mover.step_to(who, home, home[2])
        if not steps and mover.can_wait[state.posture]:
            steps = [mover.stand(state)]
        elif not steps and not mover.on_feet[state.posture]:
            steps = self._empty.rise(state)
        stage.perform(who, steps or mover.line(mover.any_step(state), state))

    # -- where the luggage is ----------------------------------------------------------------------

    def ways(self, clips: Sequence[Clip]) -> list[np.ndarray]:
        """For each piece (F, 4) metres and radians: x, y, z of its middle and its yaw, as hands have it."""
        return [self._way(row, clips) for row in self.rows]

    def _way(self, row: _Row, clips: Sequence[Clip]) -> np.ndarray:
        frames = len(clips[0])
        way = np.zeros((frames, 4))
        grips = [grip for grip in row.grips if grip.tick < frames]
        if not grips:
            return way
        half = 0.5 * PIECES[row.piece].size[1]
        ease = round(_EASE * self.stage.fps)
        for number, grip in enumerate(grips):
            stop = grips[number + 1].tick if number + 1 < len(grips) else frames
            span = np.arange(grip.tick, stop)
            if grip.hand:
                way[span] = held(clips[grip.who], span, row.piece, grip.hand)
            else:
                way[span] = way[grip.tick - 1]
            if number == 0:
                way[: grip.tick] = way[grip.tick]
                way[: grip.tick, 1] = half
            # what is missing where it changes hands fades; so it does where the floor decides how high it is
            if grip.hand:
                off = way[grip.tick - 1] - way[grip.tick]
                off[3] = rot.wrap_angle(off[3])
                if PIECES[row.piece].both and abs(off[3]) > 0.5 * np.pi:
                    off[3] -= np.sign(off[3]) * np.pi  # a box has no front
                fade = 1.0 - smooth_step(np.clip((span - grip.tick) / ease, 0.0, 1.0))
                way[span] += fade[:, None] * off
            else:
                way[span, 1] = half
        return way


def held(clip: Clip, frames: np.ndarray, piece: str, hand: str) -> np.ndarray:
    """(K, 4) where a piece is that somebody has hold of in some frames of a clip."""
    pelvis = clip.skeleton.joint("pelvis")
    reference = rot.inverse(clip.skeleton.reference[pelvis])
    places = np.zeros((len(clip), 3))
    places[frames, 2] = rot.yaw(rot.multiply(clip.global_rotations[frames, pelvis], reference))
    shown = cast(ActionLibrary, _Shown(clip.skeleton, clip.positions, clip.global_rotations, places))
    rows = []
    for frame in frames.tolist():
        (x, z, yaw), height = luggage_at(shown, frame, piece, hand)
        rows.append((x, height, z, yaw))
    return np.array(rows).reshape(-1, 4)


class _Shown(NamedTuple):
    """A clip as `luggage_at` looks at a library."""

    skeleton: Skeleton
    positions: np.ndarray
    global_rotations: np.ndarray
    placements: np.ndarray
