"""Games that a person can work out: a head and a chest on a post, and perhaps one fist or one forearm."""

from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from randori.body.capsules import CAPSULES
from randori.duel import plain_search
from randori.duel.game import ATTACK, BEARINGS, OTHER, Rules, Sides, State, Stock
from randori.motion.placement import Placement

TICK = 1.0 / 60.0
HEAD, CHEST, FIST, FOREARM = (
    CAPSULES.index(name) for name in ("head", "upper_torso", "left_hand", "right_forearm")
)
HEAD_HEIGHT, CHEST_HEIGHT = 1.6, 1.2  # metres
BALL, FIST_BALL = 0.1, 0.05  # radii in metres: of head, chest and forearm, and of a fist


@dataclass
class Act:
    """An action of the figure, recorded anywhere."""

    ticks: int
    move: tuple[float, float] = (0.0, 0.0)  # metres to its left and ahead, evenly
    turn: float = 0.0  # radians, evenly
    kind: int = OTHER
    end: int = 0  # posture
    fist: Callable[[int], tuple[float, float, float]] | None = None  # by tick, in metres from the post
    forearm: tuple[float, float, float] | None = None
    strikes: Sequence[tuple[int, int, float]] = ()  # first tick, the tick after the last, range
    short: bool = False
    pairing: int = -1
    recorded: tuple[float, float, float] = (2.0, -1.0, 0.5)  # x, z, yaw of the post in its first frame
    answers: dict[int, int] = field(default_factory=dict)  # column of Stock.response: action
    breaks: dict[int, int] = field(default_factory=dict)  # tick: the posture it can be broken off into
    forms: dict[int, int] = field(default_factory=dict)  # sector of the attacker: the form of this reaction
    still: float = 0.0  # seconds


FACE_TO_FACE = ((0.0, 0.0, 0.0), (0.0, 1.0, np.pi))  # fighter 0 at the origin, fighter 1 a metre before it


def punch(height: float = HEAD_HEIGHT, step: float = 0.1, **more: Any) -> Act:
    """The fist is `step` per tick ahead: 0.1 m are 6 m/s. A metre away it overlaps a ball in tick 9."""
    values = {"ticks": 20, "kind": ATTACK, "strikes": ((1, 21, 2.0),)} | more
    return Act(fist=lambda tick: (0.0, height, 0.02 + step * tick), **values)


def play(
    stock: Stock, sides: Sides, rules: Rules, state: State, selecting: bool = False
) -> plain_search.Passage:
    """Let time go on, with nothing counted yet."""
    return plain_search.advance(stock, sides, rules, state, plain_search.no_sums(sides), selecting)


def make_stock(acts: list[Act], choices: list[list[int]]) -> Stock:
    places, bodies, radii, responses = zip(*(_frames(act) for act in acts))
    strikes = [strike for act in acts for strike in act.strikes]
    place = np.concatenate(places)
    turned = np.repeat(np.arange(len(acts))[:, None], BEARINGS, axis=1)
    break_posture = [np.full(len(rows), -1) for rows in places]
    for number, act in enumerate(acts):
        for sector, form in act.forms.items():
            turned[number, sector] = form
        for tick, posture in act.breaks.items():
            break_posture[number][tick] = posture
    return Stock(
        tick=TICK,
        choice_start=np.cumsum([0, *map(len, choices)]),
        choices=np.array([action for row in choices for action in row], dtype=np.int64),
        first=np.cumsum([0, *map(len, places)])[:-1],
        ticks=np.array([act.ticks for act in acts]),
        kind=np.array([act.kind for act in acts]),
        short=np.array([act.short for act in acts]),
        end_posture=np.array([act.end for act in acts]),
        entry=np.array([rows[0] for rows in places]),
        exit=np.array([rows[-1] for rows in places]),
        pairing=np.array([act.pairing for act in acts]),
        likeness=np.arange(len(acts), dtype=np.int64),
        room=np.zeros(len(acts)),
        still=np.array([act.still for act in acts]),
        turned=turned,
        strike_start=np.cumsum([0, *(len(act.strikes) for act in acts)]),
        strike_first=np.array([first for first, _, _ in strikes], dtype=np.int64),
        strike_stop=np.array([stop for _, stop, _ in strikes], dtype=np.int64),
        strike_capsule=np.full(len(strikes), FIST),
        strike_range=np.array([reach for _, _, reach in strikes], dtype=np.float64),
        strike_room=np.zeros(len(strikes)),
        place=place,
        facing=place[:, 2],
        body=np.concatenate(bodies),
        radii=np.concatenate(radii),
        response=np.concatenate(responses),
        break_posture=np.concatenate(break_posture),
        break_place=place.copy(),
    )


def _frames(act: Act) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
    """Places (T + 1, 3), capsules (T + 1, 16, 2, 3), radii (T + 1, 16) and responses (T + 1, 12)."""
    count = act.ticks + 1
    places, bodies = np.zeros((count, 3)), np.zeros((count, len(CAPSULES), 2, 3))
    radii = np.full((count, len(CAPSULES)), -1.0)
    radii[:, [HEAD, CHEST]] = BALL
    radii[:, FIST] = FIST_BALL if act.fist else -1.0
    radii[:, FOREARM] = BALL if act.forearm else -1.0
    recorded = Placement(*act.recorded)
    for tick in range(count):
        share = tick / act.ticks
        place = Placement(share * act.move[0], share * act.move[1], share * act.turn).then(recorded)
        figure = np.zeros((len(CAPSULES), 3))
        figure[[HEAD, CHEST], 1] = HEAD_HEIGHT, CHEST_HEIGHT
        if act.fist:
            figure[FIST] = act.fist(tick)
        if act.forearm:
            figure[FOREARM] = act.forearm
        places[tick] = place.x, place.z, place.yaw
        bodies[tick] = place.move_points(figure)[:, None]
    responses = np.full((count, 12), -1)
    for column, action in act.answers.items():
        responses[:, column] = action
    return places, bodies, radii, responses


def make_sides(stock: Stock, team: Sequence[int] = (0, 1), **values: Any) -> Sides:
    """Fighters that want nothing but what is given: a number for all of them or one for each."""
    count, actions = len(team), len(stock.ticks)
    nothing = {
        name: np.zeros(count, dtype=kind)
        for name, kind in Sides.__annotations__.items()
        for kind in [bool if name in ("pairing_shared", "path_rival") else np.float64]
    }
    nothing |= {
        "team": np.array(team),
        "goal": np.zeros((count, 2)),
        "request": np.zeros((count, actions), dtype=np.int64),
        "urge": np.zeros((count, actions)),
        "reaction": np.zeros(count, dtype=np.int64),
        "combination": np.zeros((2, 1)),
        "guess": np.zeros((count, actions)),
        "added": np.zeros((count, 0)),
    }
    for name, value in values.items():
        array = np.asarray(value, dtype=nothing[name].dtype)
        nothing[name] = array if name == "combination" else np.broadcast_to(array, nothing[name].shape)
    return Sides(**nothing)


def make_rules(**values: Any) -> Rules:
    """Everything is plausible; every blow is light."""
    lenient = Rules(
        overlap=10.0,
        overlap_step=1,
        facing=4.0,
        defence_range=100.0,
        heavy=1e6,
        felling=1e7,
        stamina=1e9,
        remembered=2,
        alike=0.5,
        forgetting=0.5,
        patience=4.0,
        model=False,
    )
    return lenient._replace(**values)


def make_state(
    stock: Stock,
    stands: Sequence[tuple[float, float, float]],
    actions: Sequence[int],
    ages: Sequence[int | None],
    now: int = 100,
) -> State:
    """Fighters in actions that began so many ticks ago (None: that have just ended), with the posts of their
    first frames where `stands` says: x, z, yaw."""
    action = np.array(actions)
    idle = np.array([age is None for age in ages])
    start = now - np.array([stock.ticks[a] if age is None else age for a, age in zip(actions, ages)])
    place = []
    for a, stand in zip(actions, stands):
        recorded = Placement(*stock.place[stock.first[a]])
        moved = recorded.inverse().then(Placement(*stand))
        place.append((moved.x, moved.z, moved.yaw))
    count = len(actions)
    return State(
        now=now,
        action=action,
        start=start,
        stop=start + stock.ticks[action],
        place=np.array(place),
        spent=np.zeros(count, dtype=np.int64),
        idle=idle,
        recent=np.full((count, 2), -1),
        alert=np.full(count, -1),
        peace=np.full(count, now),
        onset=np.where(idle, now, start),  # an attack that has ended belongs to no row
        hurt=np.zeros(count),
    )
