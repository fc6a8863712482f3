"""Random small games in which everything that docs/duel.md speaks of happens often.

Bodies are standing figures that wobble; attacks throw a hand, a foot or a weapon forward. Nothing looks
like a person, but heads and torsos are hit, forearms block, bodies walk into each other, and some miss.
"""

from collections.abc import Sequence
from typing import NamedTuple, TypeVar

import numpy as np

from randori.body.capsules import CAPSULES, STRIKING
from randori.duel.game import (
    ATTACK,
    BEARINGS,
    DEFENCE,
    DIRECTIONS,
    OTHER,
    STRENGTHS,
    Rules,
    Sides,
    State,
    Stock,
)
from randori.duel.plain_search import bring, selects

Option = TypeVar("Option")

TICK = 1.0 / 60.0
CHOICES = {1: 5, 2: 5, 3: 4, 4: 3}  # at most in a posture, by depth: a game is solved in milliseconds
_ARM_OF = {STRIKING.index(CAPSULES.index(f"{side}_hand")): f"{side}_forearm" for side in ("left", "right")}
_RESPONSES = 2  # in each library


class Game(NamedTuple):
    """What `search` needs."""

    stock: Stock
    sides: Sides
    rules: Rules
    state: State
    who: int
    depth: int


class _Strike(NamedTuple):
    first: int
    stop: int
    capsule: int
    range: float
    room: float


class _Action(NamedTuple):
    kind: int
    short: bool
    start_posture: int
    end_posture: int
    pairing: int
    strikes: list[_Strike]
    place: np.ndarray  # (T + 1, 3)
    body: np.ndarray  # (T + 1, 16, 2, 3)
    radii: np.ndarray  # (16,)
    room: float


def random_game(seed: int, startled: bool = False) -> Game:
    """The same game for the same seed; of the startled, everybody begins alert."""
    random = np.random.default_rng(seed)
    depth = int(random.integers(1, 5))
    team = _random_teams(random)
    libraries = len(team) if random.random() < 0.3 else 1
    catching = random.random() < 0.3
    wary = random.random() < 0.3 or startled
    stock, postures_of = _random_stock(random, libraries, CHOICES[depth], wary)
    sides = _random_sides(random, stock, team, catching)
    if wary:
        sides.reaction[:] = random.integers(1, 6, len(team))
    rules = _random_rules(random)
    startled = (wary and random.random() < 0.5) or startled
    state = _random_state(random, stock, sides, rules, postures_of, startled)
    if random.random() < 0.15:  # it starts to see what somebody does in this very tick
        sides.reaction[:] = state.now - random.choice(state.start)
    return Game(stock, sides, rules, state, int(np.argmax(selects(state))), depth)


def _random_teams(random: np.random.Generator) -> np.ndarray:
    if random.random() < 0.25:
        teams = [(0, 0, 1), (0, 1, 0), (1, 0, 0), (1, 1, 0)]
        return np.array(teams[random.integers(len(teams))])
    return np.array([(0, 1), (1, 0)][random.integers(2)])


def _one_of(random: np.random.Generator, options: Sequence[Option]) -> Option:
    """As `random.choice`, which takes ten times as long."""
    return options[int(random.integers(len(options)))]


def _any_of(random: np.random.Generator, options: np.ndarray, shape: int | tuple[int, ...]) -> np.ndarray:
    """As `random.choice` with a shape."""
    return options[random.integers(0, len(options), shape)]


# ---- Motions


def _random_stock(
    random: np.random.Generator, libraries: int, most_choices: int, wary: bool
) -> tuple[Stock, list[range]]:
    """Motions of some libraries, and the postures of each; those of the wary can be broken off any time."""
    actions: list[_Action] = []
    choices: list[list[int]] = []
    responses: list[tuple[int, range, np.ndarray]] = []
    postures_of: list[range] = []
    for _ in range(libraries):
        postures = range(len(choices), len(choices) + int(random.integers(2, 6)))
        postures_of.append(postures)
        first = len(actions)
        _add_library(random, postures, most_choices, actions, choices)
        answers = np.arange(len(actions) - _RESPONSES, len(actions))
        responses.append((first, range(first, len(actions)), answers))
    ticks = np.array([len(action.place) - 1 for action in actions])
    answers_of = {action: answers for _, members, answers in responses for action in members}
    response = [
        np.where(
            random.random((ticks[a] + 1, len(DIRECTIONS) * len(STRENGTHS))) < 0.15,
            -1,
            _any_of(random, answers_of[a], (ticks[a] + 1, len(DIRECTIONS) * len(STRENGTHS))),
        )
        for a in range(len(actions))
    ]
    place = np.concatenate([action.place for action in actions])
    # A posture is a group of similar frames: where it is taken differs a little from where the body is.
    slack = np.array([0.03, 0.03, 0.1])
    strikes = [strike for action in actions for strike in action.strikes]
    stock = Stock(
        tick=TICK,
        choice_start=_starts(choices),
        choices=np.array([action for row in choices for action in row], dtype=np.int64),
        first=_starts([action.place for action in actions])[:-1],
        ticks=ticks,
        kind=np.array([action.kind for action in actions]),
        short=np.array([action.short for action in actions]),
        end_posture=np.array([action.end_posture for action in actions]),
        entry=np.stack([a.place[0] for a in actions]) + slack * random.uniform(-1, 1, (len(actions), 3)),
        exit=np.stack([a.place[-1] for a in actions]) + slack * random.uniform(-1, 1, (len(actions), 3)),
        pairing=np.array([action.pairing for action in actions]),
        likeness=np.arange(len(actions), dtype=np.int64) // 2,
        room=np.array([action.room for action in actions]),
        still=random.uniform(0.0, 1.0, len(actions)),
        turned=_turned(random, answers_of, len(actions)),
        strike_start=_starts([action.strikes for action in actions]),
        strike_first=np.array([strike.first for strike in strikes], dtype=np.int64),
        strike_stop=np.array([strike.stop for strike in strikes], dtype=np.int64),
        strike_capsule=np.array([strike.capsule for strike in strikes], dtype=np.int64),
        strike_range=np.array([strike.range for strike in strikes], dtype=np.float64),
        strike_room=np.array([strike.room for strike in strikes], dtype=np.float64),
        place=place,
        facing=place[:, 2] + random.normal(0.0, 0.15, len(place)),
        body=np.concatenate([action.body for action in actions]),
        radii=np.concatenate([np.tile(action.radii, (len(action.place), 1)) for action in actions]),
        response=np.concatenate(response),
        **_breaks(random, actions, postures_of, place, wary),
    )
    return _with_twins(random, stock), postures_of


def _turned(random: np.random.Generator, answers_of: dict[int, np.ndarray], actions: int) -> np.ndarray:
    """(A, 8) any answer of the same library, by the sector in which the attacker is."""
    return np.stack([_any_of(random, answers_of[a], BEARINGS) for a in range(actions)])


def _breaks(
    random: np.random.Generator,
    actions: list[_Action],
    postures_of: list[range],
    place: np.ndarray,
    everywhere: bool,
) -> dict[str, np.ndarray]:
    """Some stretches of some actions can be broken off, or all, into any posture of their library."""
    postures = []
    for action in actions:
        mine = next(some for some in postures_of if action.start_posture in some)
        every = random.integers(mine[0], mine[-1] + 1, len(action.place))
        first, stop = np.sort(random.integers(0, len(every) + 1, 2))
        free = (np.arange(len(every)) >= first) & (np.arange(len(every)) < stop) & (random.random() < 0.7)
        free = free & (random.random(len(every)) < 0.8) | everywhere
        postures.append(np.where(free, every, -1))
    slack = np.array([0.03, 0.03, 0.1]) * random.uniform(-1, 1, (len(place), 3))
    return {"break_posture": np.concatenate(postures), "break_place": place + slack}


def _with_twins(random: np.random.Generator, stock: Stock) -> Stock:
    """Some choices become the same motion as the first one beside them: exact ties."""
    choices, order = stock.choices.copy(), list(range(len(stock.ticks)))
    for first, stop in zip(stock.choice_start[:-1], stock.choice_start[1:]):
        if random.random() < 0.2:
            choices[stop - 1] = len(order)
            order.append(choices[first])
    strikes = [np.arange(stock.strike_start[a], stock.strike_start[a + 1]) for a in order]
    copied = {name: getattr(stock, name)[order] for name in _OF_ACTIONS}
    copied |= {name: getattr(stock, name)[np.concatenate(strikes)] for name in _OF_STRIKES}
    return stock._replace(choices=choices, strike_start=_starts(strikes), **copied)


_OF_ACTIONS = (
    "first",
    "ticks",
    "kind",
    "short",
    "end_posture",
    "entry",
    "exit",
    "pairing",
    "likeness",
    "room",
    "still",
    "turned",
)
_OF_STRIKES = ("strike_first", "strike_stop", "strike_capsule", "strike_range", "strike_room")


def _starts(rows: list) -> np.ndarray:
    return np.cumsum([0, *(len(row) for row in rows)])


def _add_library(
    random: np.random.Generator,
    postures: range,
    most_choices: int,
    actions: list[_Action],
    choices: list[list[int]],
) -> None:
    """Actions that start and end in some postures; the last ones are those that answer blows."""
    armed = random.random() < 0.3
    stances = {posture: random.normal(0.0, 0.03, (len(CAPSULES), 2, 3)) for posture in postures}
    for posture in postures:
        mine = []
        for _ in range(random.integers(2, most_choices + 1)):
            mine.append(len(actions))
            kind = _one_of(random, [ATTACK, ATTACK, ATTACK, DEFENCE, DEFENCE, OTHER])
            actions.append(_random_action(random, kind, posture, postures, stances, armed))
        choices.append(mine)
    for _ in range(_RESPONSES):
        start = _one_of(random, postures)
        response = _random_action(random, OTHER, start, postures, stances, armed)
        actions.append(response)
        if random.random() < 0.3:
            choices[start][-1] = len(actions) - 1


def _random_action(
    random: np.random.Generator,
    kind: int,
    start: int,
    postures: range,
    stances: dict[int, np.ndarray],
    armed: bool,
) -> _Action:
    ticks = int(_one_of(random, [random.integers(3, 12), random.integers(8, 25), random.integers(20, 41)]))
    end = _one_of(random, postures)
    share = np.linspace(0.0, 1.0, ticks + 1)[:, None, None, None]
    body = _FIGURE + (1.0 - share) * stances[start] + share * stances[end]
    body = body + np.sin(np.pi * share) * random.normal(0.0, 0.03, (len(CAPSULES), 2, 3))
    strikes: list[_Strike] = []
    if kind == ATTACK or random.random() < 0.1:  # what strikes need not be an attack
        for _ in range(_one_of(random, [0, 1, 1, 1, 2, 2])):
            like = strikes[0] if strikes and random.random() < 0.5 else None
            strikes.append(_throw(random, body, armed, like))
    if kind == DEFENCE:
        _raise_guard(random, body)
    if random.random() < 0.25:
        body[..., 1] *= 1.0 - random.uniform(0.2, 0.4) * np.sin(np.pi * share)[..., 0]  # it ducks
    place = _random_way(random, ticks)
    radii = _RADII * random.uniform(0.9, 1.1, len(CAPSULES))
    if not armed:
        radii[CAPSULES.index("weapon")] = _one_of(random, [-1.0, -0.001])
    if random.random() < 0.2:
        radii[random.integers(len(CAPSULES))] = -0.001
    pairing = int(random.integers(-1, 3)) if kind in (ATTACK, DEFENCE) else -1
    short = bool(random.random() < 0.5)
    room = float(random.uniform(0.4, 1.0)) if armed else 0.0
    return _Action(kind, short, start, end, pairing, strikes, place, _carry(place, body), radii, room)


_RADII_BY_PART = {
    "head": 0.1,
    "upper_torso": 0.14,
    "lower_torso": 0.13,
    "upper_arm": 0.05,
    "forearm": 0.05,
    "hand": 0.05,
    "thigh": 0.08,
    "shin": 0.06,
    "foot": 0.05,
    "weapon": 0.03,
}
_RADII = np.array([_RADII_BY_PART[name.removeprefix("left_").removeprefix("right_")] for name in CAPSULES])


def _standing_figure() -> np.ndarray:
    """(16, 2, 3) metres: it looks along +Z, with its hands before it."""
    ends = {
        "head": ((0.0, 1.55, 0.02), (0.0, 1.65, 0.03)),
        "upper_torso": ((0.0, 1.15, 0.0), (0.0, 1.38, 0.0)),
        "lower_torso": ((0.0, 0.92, 0.0), (0.0, 1.1, 0.0)),
        "weapon": ((-0.12, 1.25, 0.35), (-0.1, 1.5, 0.85)),
    }
    for side, left in (("left", 1.0), ("right", -1.0)):
        ends |= {
            f"{side}_upper_arm": ((0.18 * left, 1.4, 0.0), (0.24 * left, 1.15, 0.02)),
            f"{side}_forearm": ((0.24 * left, 1.15, 0.02), (0.17 * left, 1.28, 0.25)),
            f"{side}_hand": ((0.17 * left, 1.28, 0.25), (0.15 * left, 1.33, 0.32)),
            f"{side}_thigh": ((0.1 * left, 0.9, 0.0), (0.12 * left, 0.5, 0.05)),
            f"{side}_shin": ((0.12 * left, 0.5, 0.05), (0.13 * left, 0.1, 0.0)),
            f"{side}_foot": ((0.13 * left, 0.08, 0.0), (0.13 * left, 0.03, 0.15)),
        }
    return np.array([ends[name] for name in CAPSULES])


_FIGURE = _standing_figure()


def _throw(random: np.random.Generator, body: np.ndarray, armed: bool, like: _Strike | None) -> _Strike:
    """Moves what strikes to a point before the body and back; two strikes can share their ticks."""
    ticks = len(body) - 1
    first = int(random.integers(1, ticks + 1))
    stop = int(random.integers(first + 1, min(first + 12, ticks + 1) + 1))
    if like:
        first, stop = like.first, like.stop
    effectors = [e for e, capsule in enumerate(STRIKING) if armed or CAPSULES[capsule] != "weapon"]
    effector = _one_of(random, effectors)
    capsule = STRIKING[effector]
    height = _one_of(random, [0.95, 1.2, 1.3, 1.6])
    point = np.array([random.normal(0.0, 0.12), height + random.normal(0.0, 0.05), random.uniform(0.5, 1.1)])
    middle, width = 0.5 * (first + stop), 0.5 * (stop - first) + random.uniform(1.0, 4.0)
    out = np.clip(1.0 - np.abs(np.arange(ticks + 1) - middle) / width, 0.0, 1.0)[:, None, None]
    shaft = np.array([0.0, 0.0, random.uniform(0.05, 0.15)])
    body[:, capsule] = (1.0 - out) * body[:, capsule] + out * np.stack([point - shaft, point])
    if effector in _ARM_OF:
        forearm = CAPSULES.index(_ARM_OF[effector])
        body[:, forearm, 1] = body[:, capsule, 0]
    room = float(random.uniform(0.4, 1.0)) if CAPSULES[capsule] == "weapon" else 0.0
    return _Strike(first, stop, capsule, float(random.uniform(0.7, 1.6)), room)


def _raise_guard(random: np.random.Generator, body: np.ndarray) -> None:
    """Both forearms and hands go before the head or the torso."""
    height = _one_of(random, [1.15, 1.3, 1.6])
    share = np.sin(np.pi * np.linspace(0.0, 1.0, len(body)))[:, None]
    for side, left in (("left", 1.0), ("right", -1.0)):
        wrist = np.array([0.06 * left, height, 0.22]) + random.normal(0.0, 0.03, 3)
        forearm, hand = CAPSULES.index(f"{side}_forearm"), CAPSULES.index(f"{side}_hand")
        body[:, forearm, 1] = body[:, hand, 0] = (1.0 - share) * body[:, forearm, 1] + share * wrist
        body[:, hand, 1] = body[:, hand, 0] + np.array([0.0, 0.08, 0.02])


def _random_way(random: np.random.Generator, ticks: int) -> np.ndarray:
    """(T + 1, 3) of the pelvis: some centimetres per tick and a turn, recorded anywhere."""
    share = np.linspace(0.0, 1.0, ticks + 1)
    share = (share * share * (3.0 - 2.0 * share))[:, None]
    start = np.array([*random.uniform(-3.0, 3.0, 2), random.uniform(-np.pi, np.pi)])
    far = min(0.5, 0.04 * ticks)
    sideways, ahead = random.uniform(-0.5, 0.5) * far, random.uniform(-1.0, 1.0) * far
    cosine, sine = np.cos(start[2]), np.sin(start[2])
    move = np.array([sideways * cosine + ahead * sine, ahead * cosine - sideways * sine])
    return start + share * np.array([*move, random.normal(0.0, 0.25)])


def _carry(place: np.ndarray, body: np.ndarray) -> np.ndarray:
    """Bodies (F, 16, 2, 3) round the origin, moved to places (F, 3)."""
    cosine, sine = np.cos(place[:, 2, None, None]), np.sin(place[:, 2, None, None])
    x, y, z = np.moveaxis(body, -1, 0)
    return np.stack(
        [
            x * cosine + z * sine + place[:, 0, None, None],
            y,
            z * cosine - x * sine + place[:, 1, None, None],
        ],
        axis=-1,
    )


# ---- Wishes and rules


def _random_sides(random: np.random.Generator, stock: Stock, team: np.ndarray, catching: bool) -> Sides:
    count, actions = len(team), len(stock.ticks)
    general = random.random() < 0.5
    rival = random.random(count) < 0.3 if general else np.full(count, random.random() < 0.3)
    on_path = general or rival.all()  # a path that belongs to the competition leaves the game zero-sum

    def weight(most: float, wanted: bool = True) -> np.ndarray:
        some = random.uniform(0.0, most, count) * (random.random(count) < 0.8)
        return some if wanted else np.zeros(count)

    guess = random.integers(0, 4, (count, actions)) * (random.random((count, actions)) < 0.5)
    # where blows count far more than all else, as in a fight, bounds are narrow: what they miss is noticed
    fierce = 1e4 if random.random() < 0.4 else 1.0
    return Sides(
        team=team,
        facing_weight=weight(5.0),
        distance_weight=random.uniform(1.0, 10.0, count),
        distance=random.uniform(0.3, 1.5, count),
        given_short=fierce * weight(3.0),
        given_long=fierce * weight(3.0),
        taken=fierce * weight(3.0),
        pairing_weight=weight(10.0),
        duration_weight=weight(3.0),
        recency_weight=weight(3.0),
        stillness_weight=weight(3.0),
        initiative_weight=weight(30.0),
        caution_weight=weight(10.0),
        futility_weight=weight(10.0),
        reach=random.uniform(0.2, 1.2, count),
        heading_weight=weight(2.0, on_path),
        heading=random.uniform(-np.pi, np.pi, count),
        path_weight=weight(10.0, on_path),
        goal=random.uniform(-1.0, 1.0, (count, 2)),
        request_weight=weight(5.0, general),
        request=random.integers(-1, 2, (count, actions)),
        urge=random.uniform(-10.0, 10.0, (count, actions)),
        pairing_shared=random.random(count) < 0.5 if general else np.zeros(count, dtype=bool),
        path_rival=rival,
        reaction=random.choice([0, 0, int(random.integers(1, 8)), 20], count),
        touch=random.uniform(0.5, 1.0, count) * (random.random(count) < 0.7) * catching,
        combination=random.uniform(-1.0, 1.0, (6, 3)),
        guess=guess * float(random.random() < 0.8),
        added=np.zeros((count, 0)),
    )


def _random_rules(random: np.random.Generator) -> Rules:
    heavy = float(random.uniform(2.0, 10.0))
    return Rules(
        overlap=float(random.uniform(0.0, 0.06)),
        overlap_step=int(random.integers(1, 9)),
        facing=float(random.uniform(0.4, 1.5)),
        defence_range=float(random.uniform(0.8, 3.0)),
        heavy=heavy,
        felling=heavy + float(random.uniform(1.0, 10.0)),
        stamina=float(random.uniform(5.0, 40.0)),
        remembered=int(random.integers(1, 5)),
        alike=0.5,
        forgetting=float(random.uniform(0.3, 0.95)),
        patience=float(random.uniform(0.2, 3.0)),
        model=bool(random.random() < 0.25),
    )


# ---- The moment in which somebody selects


def _random_state(
    random: np.random.Generator,
    stock: Stock,
    sides: Sides,
    rules: Rules,
    postures_of: list[range],
    startled: bool,
) -> State:
    """Some are idle and some alert; the startled, whose actions can all be broken off, are all alert."""
    count, now = len(sides.team), int(random.integers(100, 1000))
    idle = random.random(count) < 0.2
    idle[random.integers(count)] = True
    idle &= not startled
    action, start, place = np.zeros(count, np.int64), np.zeros(count, np.int64), np.zeros((count, 3))
    spent, recent = np.zeros(count, np.int64), np.zeros((count, rules.remembered), np.int64)
    stands = _random_stands(random, sides)
    for who in range(count):
        postures = postures_of[who % len(postures_of)]
        mine = stock.choices[stock.choice_start[postures[0]] : stock.choice_start[postures[-1] + 1]]
        action[who] = random.choice(mine)
        attacks = mine[stock.kind[mine] == ATTACK]
        if not idle[who] and len(attacks) and random.random() < 0.5:
            action[who] = random.choice(attacks)
        ticks = stock.ticks[action[who]]
        age = ticks if idle[who] else int(random.integers(ticks))
        start[who] = now - age
        place[who] = bring(stock.place[stock.first[action[who]] + age], stands[who])
        spent[who] = _random_spent(random, stock, int(action[who]), age)
        if sides.touch[who] > 0.0 and random.random() < 0.3:
            spent[who] |= 1 << 62
        recent[who] = random.choice(np.append(mine, -1), rules.remembered)
    peace = now - random.integers(0, 120, count)
    stop = start + stock.ticks[action]
    alert = _random_alert(random, stock, action, start, idle, now, 1.0 if startled else 0.5)
    hurt = random.uniform(0.0, 2.0 * rules.stamina, count)
    # half of the attacks are the first of a row
    onset = start - np.where(random.random(count) < 0.5, 0, random.integers(0, 60, count))
    return State(now, action, start, stop, place, spent, idle, recent, alert, peace, onset, hurt)


def _random_alert(
    random: np.random.Generator,
    stock: Stock,
    action: np.ndarray,
    start: np.ndarray,
    idle: np.ndarray,
    now: int,
    share: float,
) -> np.ndarray:
    """A share of those whose action can be broken off now may do so."""
    frame = stock.first[action] + np.minimum(now - start, stock.ticks[action])
    alert = ~idle & (stock.break_posture[frame] >= 0) & (random.random(len(action)) < share)
    return np.where(alert, frame, -1)


def _random_stands(random: np.random.Generator, sides: Sides) -> np.ndarray:
    """(N, 3) where the pelvises are: team 0 about the origin, team 1 before it, face to face."""
    stands = np.zeros((len(sides.team), 3))
    turned = random.uniform(-np.pi, np.pi)
    for who, team in enumerate(sides.team):
        earlier = int((sides.team[:who] == team).sum())
        r = team * _one_of(random, [random.uniform(0.2, 0.5), *random.uniform(0.5, 1.2, 4)])
        aside = earlier * _one_of(random, [-1.0, 1.0]) * random.uniform(0.1, 0.9)
        x, z = r * np.sin(turned) + aside * np.cos(turned), r * np.cos(turned) - aside * np.sin(turned)
        inward = -0.6 * aside * (1.0 if team == 0 else -1.0)
        stands[who] = [x, z, turned + np.pi * team + inward + random.normal(0.0, 0.3)]
    return stands


def _random_spent(random: np.random.Generator, stock: Stock, action: int, age: int) -> int:
    """Some of the strikes that could have met something by now did."""
    spent = 0
    for number, strike in enumerate(range(stock.strike_start[action], stock.strike_start[action + 1])):
        if stock.strike_first[strike] <= age and random.random() < 0.5:
            spent |= 1 << number
    return spent
