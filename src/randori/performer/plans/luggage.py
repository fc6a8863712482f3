"""Carrying luggage about: picked up or received, carried, turned with, put down or handed over."""

from collections.abc import Iterator
from math import hypot, radians

import numpy as np

from randori.performer.actor import Actor
from randori.performer.luggage import PIECES, Load, Luggage
from randori.performer.script import techniques
from randori.performer.walker import Walker

ROOM = 2.6  # metres from the middle beyond which the performer turns back
OFTEN = {"bag": 3.0, "suitcase": 2.0, "box": 3.0, "trunk": 2.0}
TURNS = (60.0, 90.0, 90.0, 135.0, 180.0)  # degrees
SEEN_BEFORE = 1.5  # seconds that luggage lies or is offered before the performer reaches for it
LEFT_BEHIND = 1.2  # seconds after which what was put down is taken away
REACH = 0.55  # of the time to the grip in which the hands travel
LIFT = 0.66  # of the time of rising, or of bending down, in which the luggage leaves the floor or gets there
SLOWEST_SMALL_STEP = 1.03  # a slower one would look as if the foot slid
SETTLE = 0.12  # seconds that hands rest on something before it moves, and after it has come to rest


def plan(actor: Actor, seconds: float) -> Iterator[float]:
    """Fill a take; yields how much of it is planned."""
    porter = Porter(actor)
    rng = actor.rng
    porter.walker.stand(float(rng.uniform(0.8, 1.2)))
    while actor.time < seconds:
        names = list(OFTEN)
        share = np.array(list(OFTEN.values()))
        piece = PIECES[str(rng.choice(names, p=share / share.sum()))]
        if rng.random() < 0.68:
            porter.pick_up(piece)
        else:
            porter.receive(piece)
        for _ in range(int(rng.integers(1, 4))):
            porter.carry_about()
        if rng.random() < 0.6:
            porter.put_down()
            if rng.random() < 0.25:
                porter.walker.stand(float(rng.uniform(0.3, 0.8)))
                porter.pick_up_again()
                porter.carry_about()
                porter.put_down()
        else:
            porter.hand_over()
        porter.go_on()
        yield min(actor.time / seconds, 1.0)


class Porter:
    """An actor who walks and has something in the hands, or not."""

    def __init__(self, actor: Actor):
        self.actor, self.rng = actor, actor.rng
        self.walker = Walker(actor)
        self.load: Load | None = None
        self._book = techniques("luggage")
        self._leaning: dict[str, float] = {}

    # -- taking -----------------------------------------------------------------------------------

    def pick_up(self, piece: Luggage) -> None:
        """Something has been lying there for a while: take it from the floor."""
        load = self._new(piece)
        begin, grip, settled = self._perform("pick_up")
        load.states += [(max(begin - SEEN_BEFORE, 0.0), "floor")]
        load.rests += [(0.0, grip, True)]
        self._take(begin, grip, settled)

    def pick_up_again(self) -> None:
        """The luggage was put down just now and the feet have not moved."""
        self._carried.states.pop()  # it has not been taken away
        begin, grip, settled = self._perform("pick_up")
        self._take(begin, grip, settled)

    def receive(self, piece: Luggage) -> None:
        """A partner holds it out."""
        load = self._new(piece)
        begin, grip, settled = self._perform("receive")
        load.states += [(max(begin - 0.4 * SEEN_BEFORE, 0.0), "offered")]
        load.rests += [(0.0, grip, False)]
        self._take(begin, grip, settled)

    def _take(self, begin: float, grip: float, settled: float) -> None:
        """The hands close, rest, and then it comes up."""
        load = self._carried
        piece = load.piece
        reach = begin + (1.0 - REACH) * (grip - begin)
        load.holding += [(reach, 0.0), (grip, 1.0)]
        moves = grip + SETTLE * piece.tempo
        load.states += [(grip, "hands")]
        load.resting += [(moves, 1.0), (moves + LIFT * (settled - moves), 0.0)]
        load.out += [(moves + 0.15 * (settled - moves), 1.0), (settled - 0.08, 0.0)]
        load.places += [(grip, load.beside(piece.carried))]
        self._lean(1.0, grip, settled)

    # -- giving away ------------------------------------------------------------------------------

    def put_down(self) -> None:
        """Set it down where the body stands."""
        load = self._carried
        begin, touch, _ = self._perform("put_down")
        load.rests += [(begin, touch, True)]
        load.resting += [(touch - LIFT * (touch - begin), 0.0), (touch, 1.0)]
        load.out += [(begin, 0.0), (touch - 0.4 * (touch - begin), 1.0)]
        let_go = touch + SETTLE
        load.states += [(let_go, "floor"), (let_go + LEFT_BEHIND, "away")]
        load.holding += [(let_go, 1.0), (let_go + 0.55, 0.0)]
        self._lean(0.0, begin, touch)

    def hand_over(self) -> None:
        """Hold it out; a partner takes it."""
        load = self._carried
        begin, given, _ = self._perform("hand_over")
        load.places += [
            (begin + 0.05, load.beside(load.piece.carried)),
            (given, load.beside(load.piece.offered)),
        ]
        let_go = given + SETTLE
        load.states += [(let_go, "away")]
        load.holding += [(let_go, 1.0), (let_go + 0.6, 0.0)]
        self._lean(0.0, given, given + 0.5)

    # -- going ------------------------------------------------------------------------------------

    def carry_about(self) -> None:
        """Some steps, a bend or a turn on the spot, and a rest, with it."""
        rng, walker = self.rng, self.walker
        if rng.random() < 0.35:
            self._turn(radians(float(rng.choice(TURNS))) * float(rng.choice((-1.0, 1.0))))
        home = walker.bearing(0.0, 0.0)
        if hypot(*walker.place) > ROOM and abs(home) > radians(50.0):
            self._turn(home)
        steps = int(rng.integers(3, 7))
        bend = radians(float(rng.choice((0.0, 0.0, 40.0, 75.0)))) * float(rng.choice((-1.0, 1.0)))
        self.carry(steps, bend)
        walker.stand(float(rng.gamma(2.0, 0.25)) + 0.15)

    def carry(self, steps: int, bend: float = 0.0) -> None:
        """Some steps with it along a bend (radians to the left), from standing to standing."""
        piece = self._carried.piece
        speed = piece.speed * float(self.rng.uniform(0.9, 1.08))
        for number in range(steps + 3):
            pace = speed * {0: 0.6, steps + 1: 0.6, steps + 2: 0.0}.get(number, 1.0)
            inside = 0 < number <= steps
            technique = "start" if number < 2 else ("carry" if inside else "stop")
            self.walker.step(
                "carry",
                pace,
                turn=bend / steps if inside else 0.0,
                technique=technique,
                direction="front",
                tempo=piece.tempo if number < steps + 2 else min(piece.tempo, SLOWEST_SMALL_STEP),
                arms=0.75 if not piece.both else 0.4,
            )

    def go_on(self) -> None:
        """Empty-handed: a turn and a few steps, or only a rest."""
        rng, walker = self.rng, self.walker
        self.load = None
        walker.new_spell()
        walker.stand(float(rng.gamma(2.0, 0.2)) + 0.5)
        home = walker.bearing(0.0, 0.0)
        turn = home if hypot(*walker.place) > 0.6 * ROOM else radians(float(rng.choice(TURNS)))
        walker.turn_in_place(turn)
        speed = float(rng.uniform(1.0, 1.45))
        walker.start("walk", speed)
        walker.go("walk", speed, int(rng.integers(1, 4)))
        walker.stop("walk", (0.6 * speed,))
        walker.stand(float(rng.gamma(2.0, 0.2)) + 0.2)

    def _turn(self, angle: float) -> None:
        """Turn on the spot, in more steps than without it."""
        piece = self._carried.piece
        parts = max(1, round(abs(angle) / radians(105.0)))
        for _ in range(parts):
            self.walker.turn_in_place(angle / parts, min(piece.tempo, SLOWEST_SMALL_STEP))

    # -- the parts of all of it -------------------------------------------------------------------

    @property
    def _carried(self) -> Load:
        if self.load is None:
            raise ValueError("nothing is carried")
        return self.load

    def _new(self, piece: Luggage) -> Load:
        hand = "both" if piece.both else str(self.rng.choice(("left", "right"), p=(0.35, 0.65)))
        self.load = Load(piece, self.actor.body, hand)
        self.actor.layers.append(self.load.draw)
        self.actor.things.append(self.load.seen)
        return self.load

    def _perform(self, what: str) -> tuple[float, float, float]:
        """Do a technique on both feet: when it begins, when hands or floor and luggage meet, and its end."""
        load = self._carried
        technique = self._book[f"{what}_{'both' if load.hand == 'both' else 'one'}"]
        self.actor.lead = "left" if load.hand == "both" else load.hand
        begin = self.actor.time
        bend = load.piece.bend if what in ("pick_up", "put_down") else 1.0
        action = self.actor.perform(technique, tempo=load.piece.tempo, amplitude=bend)
        self.actor.time = self.actor.settled = begin
        action.side = load.hand
        assert action.impact is not None
        tempo = (action.impact - begin) / (technique.impact - technique.start)
        settled = begin + (technique.settled - technique.start) * tempo
        self.walker.hold(settled - begin, "stand", action)
        return begin, action.impact, settled

    def _lean(self, share: float, start: float, stop: float) -> None:
        """The trunk leans away from the weight as it comes onto the hands, and back when it is gone."""
        load = self._carried
        back, away = load.piece.lean
        sign = {"left": -1.0, "right": 1.0, "both": 0.0}[load.hand]
        wanted = {
            "chest_pitch": -back,
            "pelvis_pitch": -0.35 * back,
            "pelvis_forward": 0.22 * back,
            "head_pitch": 0.5 * back,
            "chest_roll": sign * away,
            "pelvis_roll": 0.3 * sign * away,
            "pelvis_side": sign * 0.16 * away,
            "head_roll": -0.4 * sign * away,
            "pelvis_height": -load.piece.sinks,
        }
        if load.hand != "both":
            free = "left" if load.hand == "right" else "right"
            wanted[f"{free}_hand_out"] = 0.5 * away
        for name, amount in wanted.items():
            change = share * amount - self._leaning.get(name, 0.0)
            if change:
                self.actor.tracks.add(name, change, start, stop)
                self._leaning[name] = share * amount
