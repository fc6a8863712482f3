"""The game of docs/duel.md as it is written there: plain Python, recursion, nothing is pruned.

It judges the fast search in the tests and is what `randori bench duel` measures that one against, so it
shares nothing with the kernels but the data. Names follow the rule book.
"""

import math
from collections.abc import Callable, Iterator
from functools import partial
from typing import NamedTuple

import numpy as np

from randori.body.capsules import CAPSULES, CORE, DAMAGE, GUARD, VITAL
from randori.duel.added import AT_END, AT_ROOT, AT_SELECTION, MOST_ADDED_RULES, View
from randori.duel.game import ATTACK, BEARINGS, DEFENCE, GO_ON, STRENGTHS, Rules, Sides, State, Stock, Verdict

_FOREARMS, _HANDS, _BLADE = (
    [number for number, name in enumerate(CAPSULES) if name.endswith(word)]
    for word in ("forearm", "hand", "weapon")
)
_TARGETS = np.array(VITAL + GUARD)  # parts that a strike can meet, in the order that breaks ties
_CORE = np.array(CORE)
# plies of the next fighter to select, if it has not seen the attack; later fighters have 1
_UNAWARE_PLIES = 2
_CAUGHT_BIT = 1 << 62  # bit of State.spent: this action has caught an opponent
_BACK, _FORWARD, _LEFT, _RIGHT = range(4)  # as in game.DIRECTIONS
GRADES = 9  # of rule 2
LEAVING = 0.2  # metres, of rule 4
# the answer of `plausible` for a choice that breaks no rule; rules of users come last
PLAUSIBLE = 5 + GRADES + MOST_ADDED_RULES


class Sums(NamedTuple):
    """The counts of each of N fighters."""

    competitive: np.ndarray  # (N,)
    cooperative: np.ndarray  # (N,)
    since: int  # tick; movement of actions that began before is not counted


class Event(NamedTuple):
    """An event between two fighters."""

    tick: int
    what: str  # hit, block, catch or response
    who: int  # the fighter that strikes or catches; of a reaction, the one that performs it
    whom: int  # the struck or caught fighter; of a response, the striker
    damage: float
    action: int  # that strikes or catches; of a response, the response


class Passage(NamedTuple):
    """The result of letting time pass."""

    state: State
    sums: Sums
    events: list[Event]


class _Game(NamedTuple):
    stock: Stock
    sides: Sides
    rules: Rules


class _Running(NamedTuple):
    """An action, when it started and the place that moves it."""

    action: int
    start: int  # tick
    place: np.ndarray  # (3,)


class _Blow(NamedTuple):
    """A strike that has hurt."""

    striker: int
    struck: int
    damage: float
    velocity: np.ndarray  # (3,) metres per second, of the striking end


class _Outcome(NamedTuple):
    """The value of a node of the tree to the team that searches."""

    competitive: float  # S_comp
    cooperative: float  # S_coop
    line: tuple[tuple[int, int, int], ...]  # fighter, action, tick
    nodes: int


def search(stock: Stock, sides: Sides, rules: Rules, state: State, who: int, depth: int) -> Verdict:
    """The selection of fighter `who`, which is idle or alert, when it looks `depth` plies ahead."""
    game = _Game(stock, sides, rules)
    outcome = _node(
        game, int(sides.team[who]), state, no_sums(sides, state.now), who, depth, depth, root=True
    )
    line = np.array(outcome.line, dtype=np.int64)
    return Verdict(outcome.line[0][1], outcome.competitive, outcome.cooperative, line, outcome.nodes)


def plausible(stock: Stock, sides: Sides, rules: Rules, state: State, who: int) -> np.ndarray:
    """(C,) int64: the first rule that each choice of `who` breaks, PLAUSIBLE if none. All is seen."""
    game = _Game(stock, sides, rules)
    broken = [_first_broken_rule(game, state, who, choice) for choice in choices_of(stock, state, who)]
    return np.array(broken, dtype=np.int64)


def considered(stock: Stock, sides: Sides, rules: Rules, state: State, who: int) -> np.ndarray:
    """The choices that break no rule; if there are none, those whose first broken rule stands last.

    An alert fighter can always go on instead, so it breaks off for nothing that breaks a rule.
    """
    broken = plausible(stock, sides, rules, state, who)
    choices = choices_of(stock, state, who)
    if state.alert[who] >= 0:
        return np.append(choices[broken == PLAUSIBLE], GO_ON)
    return choices[broken == broken.max()]


def believed(stock: Stock, sides: Sides, state: State, who: int) -> State:
    """The game as `who` sees it: strikes of attacks that it cannot have noticed yet are spent."""
    spent = state.spent.copy()
    for opponent in opponents_of(sides, who):
        if _is_unseen(stock, sides, state, who, opponent):
            spent[opponent] |= (1 << _strike_count(stock, state.action[opponent])) - 1
    return state._replace(spent=spent)


def select(
    stock: Stock, sides: Sides, rules: Rules, state: State, sums: Sums, who: int, action: int
) -> tuple[State, Sums]:
    """`who` starts an action, and what the selection counts is added; or it goes on with what it does."""
    game = _Game(stock, sides, rules)
    state, sums = _copy(state), _copy_sums(sums)
    if action == GO_ON:
        state.alert[who] = -1
        return state, sums
    if state.alert[who] >= 0:
        _count_movement(game, state, sums, who)
    _count_selection(game, state, sums, who, action)
    if stock.kind[action] == ATTACK and stock.kind[state.action[who]] != ATTACK:
        state.onset[who] = state.now
    _start(stock, state, who, action, _place_after(stock, state, who, action))
    state.recent[who] = [action, *state.recent[who]][: state.recent.shape[1]]
    return state, sums


def advance(stock: Stock, sides: Sides, rules: Rules, state: State, sums: Sums, selecting: bool) -> Passage:
    """Let time go on until a fighter is idle or alert; with `selecting` false, until all are idle."""
    game = _Game(stock, sides, rules)
    state, sums = _copy(state), _copy_sums(sums)
    events: list[Event] = []
    while not (selects(state).any() if selecting else state.idle.all()):
        state = state._replace(now=state.now + 1)
        events += _tick(game, state, sums)
        if selecting:
            _alert(game, state)
    return Passage(state, sums, events)


def no_sums(sides: Sides, since: int = 0) -> Sums:
    """Nothing is counted yet."""
    return Sums(np.zeros(len(sides.team)), np.zeros(len(sides.team)), since)


# ---- Time, places, actions


def selects(state: State) -> np.ndarray:
    """(N,) bool: the fighters that may select now."""
    may_select: np.ndarray = state.idle | (state.alert >= 0)
    return may_select


def choices_of(stock: Stock, state: State, who: int) -> np.ndarray:
    """The actions that start in the posture in which the fighter's action ends, or can be broken off."""
    posture = stock.end_posture[state.action[who]]
    if state.alert[who] >= 0:
        posture = stock.break_posture[state.alert[who]]
    return stock.choices[stock.choice_start[posture] : stock.choice_start[posture + 1]]


def opponents_of(sides: Sides, who: int) -> list[int]:
    teams = sides.team.tolist()
    return [j for j, team in enumerate(teams) if team != teams[who]]


def running(state: State, who: int) -> _Running:
    return _Running(state.action[who], state.start[who], state.place[who])


def frame_of(stock: Stock, run: _Running, tick: int) -> int:
    return stock.first[run.action] + min(tick - run.start, stock.ticks[run.action])


def carry(place: np.ndarray, points: np.ndarray) -> np.ndarray:
    """Points (..., 3), turned by the yaw of a place and moved by its x and z."""
    cosine, sine = math.cos(place[2]), math.sin(place[2])
    turn = np.array([[cosine, 0.0, -sine], [0.0, 1.0, 0.0], [sine, 0.0, cosine]])  # for rows
    return points @ turn + np.array([place[0], 0.0, place[1]])


def carry_place(place: np.ndarray, recorded: np.ndarray) -> np.ndarray:
    """A recorded place (3,), moved by another one."""
    there_x, there_z, turn = place.tolist()  # Python's own numbers are several times faster
    x, z, yaw = recorded.tolist()
    cosine, sine = math.cos(turn), math.sin(turn)
    return np.array([there_x + x * cosine + z * sine, there_z - x * sine + z * cosine, yaw + turn])


def bring(recorded: np.ndarray, there: np.ndarray) -> np.ndarray:
    """The place (3,) that moves a recording from one place to another."""
    turn = np.array([0.0, 0.0, there[2] - recorded[2]])
    turned = carry_place(turn, recorded)
    return np.array([there[0] - turned[0], there[1] - turned[1], turn[2]])


def _place_after(stock: Stock, state: State, who: int, action: int) -> np.ndarray:
    """The place of an action that starts where the last one has ended, or is broken off."""
    last = stock.exit[state.action[who]]
    if state.alert[who] >= 0:
        last = stock.break_place[state.alert[who]]
    return bring(stock.entry[action], carry_place(state.place[who], last))


def pelvis_of(stock: Stock, run: _Running, tick: int) -> np.ndarray:
    """(3,) x, z and yaw of the pelvis in a tick."""
    return carry_place(run.place, stock.place[frame_of(stock, run, tick)])


def looking_of(stock: Stock, run: _Running, tick: int) -> float:
    """Yaw of the way the head looks in a tick."""
    return stock.facing[frame_of(stock, run, tick)] + run.place[2]


def wrap(angle: float) -> float:
    """The same angle in [-π, π]."""
    return math.remainder(angle, math.tau)


def nearest_opponent(game: _Game, state: State, who: int, run: _Running, tick: int) -> tuple[int, float]:
    """The opponent nearest in a tick to a fighter that does `run`, and r."""
    here = pelvis_of(game.stock, run, tick)
    nearest, smallest = -1, math.inf
    for opponent in opponents_of(game.sides, who):
        there = pelvis_of(game.stock, running(state, opponent), tick)
        r = math.hypot(there[0] - here[0], there[1] - here[1])
        if r < smallest:
            nearest, smallest = opponent, r
    return nearest, smallest


def angle_past(game: _Game, state: State, run: _Running, opponent: int, tick: int) -> float:
    """θ: by how much the way the head looks passes the opponent."""
    here = pelvis_of(game.stock, run, tick)
    there = pelvis_of(game.stock, running(state, opponent), tick)
    return wrap(math.atan2(there[0] - here[0], there[1] - here[1]) - looking_of(game.stock, run, tick))


def axis_distance(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    """Between line segments (..., 2, 3), in metres."""
    u, v = one[..., 1, :] - one[..., 0, :], other[..., 1, :] - other[..., 0, :]
    w = one[..., 0, :] - other[..., 0, :]
    uu, uv, vv, uw, vw = _dot(u, u), _dot(u, v), _dot(v, v), _dot(u, w), _dot(v, w)
    # the point of one that is nearest to the line of the other, then of the other to that, then back
    s = _share(uv * vw - vv * uw, uu * vv - uv * uv)
    t = _share(uv * s + vw, vv)
    s = _share(uv * t - uw, uu)
    gap = w + s[..., None] * u - t[..., None] * v
    return np.sqrt(_dot(gap, gap))


def _share(part: np.ndarray, whole: np.ndarray) -> np.ndarray:
    """The share along a segment; 0 if it has no length or all points are equally near."""
    return np.clip(part / np.where(whole > 0.0, whole, np.inf), 0.0, 1.0)


def _dot(one: np.ndarray, other: np.ndarray) -> np.ndarray:
    return np.einsum("...i,...i->...", one, other)


# ---- What happens in a tick


def _tick(game: _Game, state: State, sums: Sums) -> list[Event]:
    """Everything that happens in the tick `now`; state and sums are changed in place."""
    before = _copy(state)  # all bodies are those of this tick, before any event in it
    blows, events = _strikes(game, before, state.spent)
    for event in events:
        _count_damage(game, sums, event)
        if event.what == "hit":
            state.hurt[event.whom] += event.damage
    events += _answers(game, before, state, sums, blows)
    _ends(game, before, state, sums)
    return events


def _strikes(game: _Game, state: State, spent: np.ndarray) -> tuple[list[_Blow], list[Event]]:
    """Step 1, for each fighter in order: its strikes, then its catch. Marks what is spent in `spent`."""
    blows: list[_Blow] = []
    events: list[Event] = []
    for striker in range(len(state.action)):
        action = int(state.action[striker])
        for number in _active_strikes(game.stock, state, striker):
            for struck in opponents_of(game.sides, striker):
                strike = game.stock.strike_start[action] + number
                part = _deepest_part(game.stock, state, striker, strike, struck)
                if part is None:
                    continue
                spent[striker] |= 1 << number
                if part < len(VITAL):
                    velocity = _striking_velocity(game.stock, state, striker, strike)
                    damage = math.sqrt(velocity @ velocity) * DAMAGE[part]
                    blows.append(_Blow(striker, struck, damage, velocity))
                    events.append(Event(state.now, "hit", striker, struck, damage, action))
                else:
                    events.append(Event(state.now, "block", striker, struck, 0.0, action))
                break  # a spent strike goes no further
        caught = _catches(game, state, striker)
        if caught is not None:
            spent[striker] |= _CAUGHT_BIT
            events.append(Event(state.now, "catch", striker, caught, 1.0, action))
    return blows, events


def _active_strikes(stock: Stock, state: State, who: int) -> Iterator[int]:
    """The strikes of the running action that can meet something in this tick, by number."""
    if state.idle[who]:
        return
    action, age = state.action[who], state.now - state.start[who]
    for number in range(_strike_count(stock, action)):
        strike = stock.strike_start[action] + number
        spent = state.spent[who] >> number & 1
        if not spent and stock.strike_first[strike] <= age < stock.strike_stop[strike]:
            yield number


def _strike_count(stock: Stock, action: int) -> int:
    return int(stock.strike_start[action + 1] - stock.strike_start[action])


def _deepest_part(stock: Stock, state: State, striker: int, strike: int, struck: int) -> int | None:
    """The part that a strike overlaps deepest half a tick ago, else now: a number in VITAL and GUARD."""
    run, target = running(state, striker), running(state, struck)
    frame, frame_before = frame_of(stock, run, state.now), frame_of(stock, run, state.now - 1)
    capsule = stock.strike_capsule[strike]
    radius = stock.radii[frame, capsule]
    now, then = stock.body[frame, capsule], stock.body[frame_before, capsule]
    striking = carry(run.place, np.stack([0.5 * (then + now), now]))
    target_frame = frame_of(stock, target, state.now)
    parts = carry(target.place, stock.body[target_frame, _TARGETS])
    radii = stock.radii[target_frame, _TARGETS]
    depths = radius + radii - axis_distance(striking[:, None], parts[None])
    stops = (radii >= 0.0) & ~_passes(stock, target_frame, capsule)
    for depth in depths:  # a part touched half a tick ago is touched first
        touched = (depth > 0.0) & stops & (radius >= 0.0)
        if touched.any():
            return int(np.argmax(np.where(touched, depth, -np.inf)))
    return None


def _passes(stock: Stock, frame: int, capsule: int) -> np.ndarray:
    """(P,) bool: the targets in whose way a striking capsule does not come: a blade passes bare arms."""
    if capsule not in _BLADE:
        return np.zeros(len(_TARGETS), dtype=bool)
    armed = bool((stock.radii[frame, _BLADE] >= 0.0).all())
    return np.isin(_TARGETS, _FOREARMS if armed else _FOREARMS + _HANDS)


def _striking_velocity(stock: Stock, state: State, striker: int, strike: int) -> np.ndarray:
    """(3,) metres per second: of the second end of the striking capsule, since the frame before."""
    run, capsule = running(state, striker), stock.strike_capsule[strike]
    now = stock.body[frame_of(stock, run, state.now), capsule, 1]
    then = stock.body[frame_of(stock, run, state.now - 1), capsule, 1]
    return (carry(run.place, now) - carry(run.place, then)) / stock.tick


def _catches(game: _Game, state: State, who: int) -> int | None:
    """The nearest opponent, if it is caught for the first time in this action."""
    if state.idle[who] or game.sides.touch[who] <= 0.0 or state.spent[who] & _CAUGHT_BIT:
        return None
    opponent, r = nearest_opponent(game, state, who, running(state, who), state.now)
    return opponent if r < game.sides.touch[who] else None


def _count_damage(game: _Game, sums: Sums, event: Event) -> None:
    """Step 2."""
    sides, short = game.sides, game.stock.short[event.action]
    given = sides.given_short[event.who] if short else sides.given_long[event.who]
    sums.competitive[event.who] += given * event.damage
    sums.competitive[event.whom] -= sides.taken[event.whom] * event.damage


def _answers(game: _Game, before: State, state: State, sums: Sums, blows: list[_Blow]) -> list[Event]:
    """Step 3: a hurt fighter reacts to the worst blow."""
    events: list[Event] = []
    for struck in range(len(state.action)):
        hurting = [blow for blow in blows if blow.struck == struck and blow.damage > 0.0]
        if not hurting:
            continue
        worst = max(hurting, key=lambda blow: blow.damage)  # the first of equals
        run = running(before, struck)
        pelvis = pelvis_of(game.stock, run, before.now)
        column = len(STRENGTHS) * _direction(worst.velocity, pelvis[2]) + _strength(
            game.rules, worst.damage, state.hurt[struck]
        )
        response = int(game.stock.response[frame_of(game.stock, run, before.now), column])
        if response < 0:
            continue
        attacker = pelvis_of(game.stock, running(before, worst.striker), before.now)
        response = int(game.stock.turned[response, _bearing(pelvis, attacker)])
        if not before.idle[struck]:
            _count_movement(game, before, sums, struck)
        recorded = game.stock.place[game.stock.first[response]]
        _start(game.stock, state, struck, response, bring(recorded, pelvis))
        state.spent[struck] = (1 << _strike_count(game.stock, response)) - 1  # a reaction does not strike
        events.append(Event(before.now, "response", struck, worst.striker, worst.damage, response))
    return events


def _direction(velocity: np.ndarray, yaw: float) -> int:
    """The direction in which a blow drives a body whose pelvis is turned by yaw."""
    forward = velocity[0] * math.sin(yaw) + velocity[2] * math.cos(yaw)
    left = velocity[0] * math.cos(yaw) - velocity[2] * math.sin(yaw)
    if abs(forward) >= abs(left):
        return _BACK if forward <= 0.0 else _FORWARD
    return _LEFT if left > 0.0 else _RIGHT


def _bearing(pelvis: np.ndarray, attacker: np.ndarray) -> int:
    """The sector in which a body with this pelvis, x, z and yaw, sees its attacker's."""
    towards = math.atan2(attacker[0] - pelvis[0], attacker[1] - pelvis[1]) - pelvis[2]
    return math.floor(towards / (math.tau / BEARINGS) + 0.5) % BEARINGS


def _strength(rules: Rules, damage: float, hurt: float) -> int:
    """Of a blow with so much damage to a fighter that has taken so much, this blow included."""
    if damage >= rules.felling or (damage >= rules.heavy and hurt >= rules.stamina):
        return STRENGTHS.index("felling")
    return STRENGTHS.index("heavy") if damage >= rules.heavy else STRENGTHS.index("light")


def _ends(game: _Game, before: State, state: State, sums: Sums) -> None:
    """Step 4."""
    for who in range(len(state.action)):
        if state.stop[who] == state.now and not state.idle[who]:
            _count_movement(game, before, sums, who)
            state.idle[who] = True


def _alert(game: _Game, state: State) -> None:
    """Step 5: a fighter that begins to see an attack may break off its action, if the action allows it."""
    for who in range(len(state.action)):
        if state.idle[who]:
            continue
        for opponent in opponents_of(game.sides, who):
            seen = _seen_since(game.sides, state, who, opponent)
            if state.idle[opponent] or not _attack_under_way(game.stock, state, opponent):
                continue
            first = max(seen, int(state.start[opponent]) + 1)
            if state.start[who] < seen and state.now == _first_break(game.stock, state, who, first):
                state.alert[who] = frame_of(game.stock, running(state, who), state.now)


def _first_break(stock: Stock, state: State, who: int, tick: int) -> int:
    """The first tick, from one on, in which a fighter's action can be broken off; -1 if there is none."""
    for later in range(tick, state.stop[who]):
        if stock.break_posture[frame_of(stock, running(state, who), later)] >= 0:
            return later
    return -1


def _count_movement(game: _Game, state: State, sums: Sums, who: int) -> None:
    """Movement is counted: how the fighter stands towards the nearest opponent and towards its goal."""
    if state.start[who] < sums.since:
        return
    stock, sides, run = game.stock, game.sides, running(state, who)
    opponent, r = nearest_opponent(game, state, who, run, state.now)
    theta = angle_past(game, state, run, opponent, state.now)
    fight = sides.facing_weight[who] * theta**2 + sides.distance_weight[who] * (r - sides.distance[who]) ** 2
    sums.competitive[who] -= fight
    x, z, _ = pelvis_of(stock, run, state.now)
    off = wrap(looking_of(stock, run, state.now) - sides.heading[who])
    way = (x - sides.goal[who, 0]) ** 2 + (z - sides.goal[who, 1]) ** 2
    path = sides.heading_weight[who] * off**2 + sides.path_weight[who] * way
    (sums.competitive if sides.path_rival[who] else sums.cooperative)[who] -= path
    sums.competitive[who] += _count_added(game, state, who, int(run.action), AT_END)


def _start(stock: Stock, state: State, who: int, action: int, place: np.ndarray) -> None:
    state.action[who] = action
    state.start[who] = state.now
    state.stop[who] = state.now + stock.ticks[action]
    state.place[who] = place
    state.spent[who] = 0
    state.idle[who] = False
    state.alert[who] = -1


def _copy_sums(sums: Sums) -> Sums:
    return Sums(sums.competitive.copy(), sums.cooperative.copy(), sums.since)


def _copy(state: State) -> State:
    return State(state.now, *[part.copy() for part in state[1:]])


# ---- Selecting


def _count_selection(game: _Game, state: State, sums: Sums, who: int, action: int) -> None:
    """With a selection are counted: control, the pair of actions, and what the animator asks for."""
    stock, sides, rules = game.stock, game.sides, game.rules
    used = sum(
        rules.forgetting**k * _likeness(game, int(recent), action)
        for k, recent in enumerate(state.recent[who])
    )
    sums.competitive[who] -= sides.duration_weight[who] * stock.ticks[action] * stock.tick
    sums.competitive[who] -= sides.recency_weight[who] * used
    sums.competitive[who] -= sides.stillness_weight[who] * stock.still[action]
    pair = sides.pairing_weight[who] * _combination(game, state, who, action)
    (sums.cooperative if sides.pairing_shared[who] else sums.competitive)[who] += pair
    sums.cooperative[who] += sides.request_weight[who] * sides.request[who, action]
    sums.competitive[who] += _count_added(game, state, who, action, AT_SELECTION)


def _view(game: _Game, state: State, who: int, run: _Running, tick: int, action: int) -> View:
    """The arguments of a user's function: a fighter that does `run`, in a tick, and an action of it."""
    stock = game.stock
    x, z, _ = pelvis_of(stock, run, tick).tolist()
    opponent, r = nearest_opponent(game, state, who, run, tick)
    there = pelvis_of(stock, running(state, opponent), tick).tolist()
    look = wrap(looking_of(stock, run, tick))
    theta = angle_past(game, state, run, opponent, tick)
    kind, strikes = int(stock.kind[action]), _strike_count(stock, action)
    seconds = float(stock.ticks[action]) * stock.tick
    return View(kind, strikes, seconds, tick * stock.tick, x, z, look, there[0], there[1], r, theta)


def _count_added(game: _Game, state: State, who: int, action: int, when: int) -> float:
    """The sum of the users' terms that count at such a time, for an action that ends or is selected now."""
    if not any(term.when == when for term in game.rules.added.terms):
        return 0.0
    view = _view(game, state, who, running(state, who), state.now, action)
    weighed = zip(game.rules.added.terms, game.sides.added[who].tolist())
    return sum((weight * term.value(view) for term, weight in weighed if term.when == when), 0.0)


def _temper(game: _Game, state: State, who: int, action: int) -> float:
    """The terms that count only for the selection that a search is about."""
    if action == GO_ON:
        return 0.0
    caution = 0.0
    if game.stock.kind[action] == DEFENCE:
        caution = float(game.sides.caution_weight[who]) * _combination(game, state, who, action)
    futility = 0.0
    if game.stock.kind[action] == ATTACK and _strike_count(game.stock, action) > 0:
        meets = {"misses": 0.0, "guard": 0.5, "lands": 1.0}[_foresee(game, state, who, action)]
        worth = meets * _valued(game, who, action)
        futility = float(game.sides.futility_weight[who]) * (1.0 - worth)
    urge = float(game.sides.urge[who, action])
    added = _count_added(game, state, who, action, AT_ROOT)
    return _initiative(game, state, who, action) + caution - futility + urge + added


def _initiative(game: _Game, state: State, who: int, action: int) -> float:
    """The score of fighter `who`, which has been left in peace, for attacking, coming nearer or turning."""
    sides, stock = game.sides, game.stock
    peace = min(max(state.now - state.peace[who], 0) * stock.tick, game.rules.patience)
    worth = float(sides.initiative_weight[who]) * peace**2
    if worth == 0.0:
        return 0.0
    if _launches(game, state, who, action) and _foresee(game, state, who, action) != "misses":
        return worth * _valued(game, who, action)
    run = _Running(action, state.now, _place_after(stock, state, who, action))
    end = int(state.now + stock.ticks[action])
    opponent, r = nearest_opponent(game, state, who, run, end)
    aside = abs(angle_past(game, state, run, opponent, end)) / (0.5 * math.pi)
    kept = max(sides.distance[who] - sides.reach[who], 0.0) * (1.0 - (peace / game.rules.patience) ** 2)
    return -worth * min(max(r - sides.reach[who] - kept, 0.0) + aside, 1.0)


def _valued(game: _Game, who: int, action: int) -> float:
    """The share of its larger w_D⁺ that a fighter gives to attacks of this range; 1 if it values none."""
    short, long = float(game.sides.given_short[who]), float(game.sides.given_long[who])
    most = max(short, long)
    return (short if game.stock.short[action] else long) / most if most > 0.0 else 1.0


def _foresee(game: _Game, state: State, who: int, action: int) -> str:
    """The outcome of an attack if no fighter changes its action: "lands", else "guard", else "misses"."""
    begun = _copy(state)
    _start(game.stock, begun, who, action, _place_after(game.stock, state, who, action))
    found = "misses"
    for tick in range(state.now + 1, int(begun.stop[who]) + 1):
        moment = begun._replace(now=tick)
        for number in _active_strikes(game.stock, moment, who):
            strike = game.stock.strike_start[action] + number
            for opponent in opponents_of(game.sides, who):
                part = _deepest_part(game.stock, moment, who, strike, opponent)
                if part is not None and part < len(VITAL):
                    return "lands"
                if part is not None:
                    found = "guard"
                    begun.spent[who] |= 1 << number
                    break
    return found


def _launches(game: _Game, state: State, who: int, action: int) -> bool:
    """Whether an action is an attack that satisfies rule 3 and can strike."""
    if game.stock.kind[action] != ATTACK or not _strike_count(game.stock, action):
        return False
    run = _Running(action, state.now, _place_after(game.stock, state, who, action))
    return _is_in_range(game, state, who, run)


def _likeness(game: _Game, recent: int, action: int) -> float:
    """The weight with which an earlier choice counts as a use of this action."""
    if recent == action:
        return 1.0
    alike = recent >= 0 and game.stock.likeness[recent] == game.stock.likeness[action]
    return game.rules.alike if alike else 0.0


def _combination(game: _Game, state: State, who: int, action: int) -> float:
    """Suitability of an action against the attack of the nearest opponent; 0 for any other pair."""
    stock = game.stock
    opponent, _ = nearest_opponent(game, state, who, running(state, who), state.now)
    row, column = stock.pairing[action], stock.pairing[state.action[opponent]]
    if row < 0 or column < 0 or not _attack_under_way(stock, state, opponent):
        return 0.0
    defences = game.sides.combination.shape[0] - game.sides.combination.shape[1]
    return float(game.sides.combination[row + (defences if stock.kind[action] == ATTACK else 0), column])


def _attack_under_way(stock: Stock, state: State, who: int) -> bool:
    """It has a strike that is not spent and whose last tick is not past."""
    action, age = state.action[who], state.now - state.start[who]
    if stock.kind[action] != ATTACK:
        return False
    return any(
        not state.spent[who] >> number & 1 and stock.strike_stop[stock.strike_start[action] + number] > age
        for number in range(_strike_count(stock, action))
    )


def _is_unseen(stock: Stock, sides: Sides, state: State, who: int, opponent: int) -> bool:
    """An attack under way that cannot have been noticed yet."""
    unnoticed = _seen_since(sides, state, who, opponent) > state.now
    return unnoticed and _attack_under_way(stock, state, opponent)


def _seen_since(sides: Sides, state: State, who: int, opponent: int) -> int:
    """The tick from which on `who` sees an attack of an opponent; a later one of a row is expected."""
    reaction = sides.reaction[who]
    return int(max(state.onset[opponent] + reaction, state.start[opponent] + reaction // 2))


# The rules: each says whether a choice, as it would run, satisfies it.


def _first_broken_rule(game: _Game, state: State, who: int, choice: int) -> int:
    run = _Running(choice, state.now, _place_after(game.stock, state, who, choice))
    faces = [partial(_faces, beyond=grade * math.pi / 12.0) for grade in reversed(range(GRADES))]
    in_order: list[Callable[[_Game, State, int, _Running], bool]]
    in_order = [_clear_at_the_end, _clear_on_the_way, *faces, _is_in_range, _keeps_room]
    in_order.append(_defends_against_an_attack)
    for number, satisfied in enumerate(in_order):
        if not satisfied(game, state, who, run):
            return number
    if game.rules.added.rules:
        end = run.start + game.stock.ticks[choice]
        view = _view(game, state, who, run, int(end), int(choice))
        for number, rule in enumerate(game.rules.added.rules, len(in_order)):
            if rule.function(view):
                return number
    return PLAUSIBLE


def _clear_at_the_end(game: _Game, state: State, who: int, run: _Running) -> bool:
    """Rule 0."""
    end = run.start + game.stock.ticks[run.action]
    return not _penetrates(game, state, who, run, np.array([end]))


def _clear_on_the_way(game: _Game, state: State, who: int, run: _Running) -> bool:
    """Rule 1."""
    step, end = game.rules.overlap_step, run.start + game.stock.ticks[run.action]
    return not _penetrates(game, state, who, run, np.arange(run.start + step, end, step))


def _faces(game: _Game, state: State, who: int, run: _Running, beyond: float) -> bool:
    """A grade of rule 2."""
    end = run.start + game.stock.ticks[run.action]
    opponent, _ = nearest_opponent(game, state, who, run, end)
    return abs(angle_past(game, state, run, opponent, end)) <= game.rules.facing + beyond


def _is_in_range(game: _Game, state: State, who: int, run: _Running) -> bool:
    """Rule 3."""
    stock = game.stock
    if stock.kind[run.action] == ATTACK and _strike_count(stock, run.action):
        strike = stock.strike_start[run.action]
        tick = run.start + stock.strike_first[strike]
        r = nearest_opponent(game, state, who, run, tick)[1]
        return stock.strike_room[strike] <= r <= stock.strike_range[strike]
    if stock.kind[run.action] == DEFENCE:
        r = nearest_opponent(game, state, who, running(state, who), state.now)[1]
        return r <= game.rules.defence_range
    return True


def _keeps_room(game: _Game, state: State, who: int, run: _Running) -> bool:
    """Rule 4."""
    end = run.start + game.stock.ticks[run.action]
    r_now = nearest_opponent(game, state, who, running(state, who), state.now)[1]
    r = nearest_opponent(game, state, who, run, end)[1]
    return r >= min(game.stock.room[run.action], r_now + LEAVING)


def _defends_against_an_attack(game: _Game, state: State, who: int, run: _Running) -> bool:
    """Rule 5."""
    attacked = any(_attack_under_way(game.stock, state, j) for j in opponents_of(game.sides, who))
    return game.stock.kind[run.action] != DEFENCE or attacked


def _penetrates(game: _Game, state: State, who: int, run: _Running, ticks: np.ndarray) -> bool:
    """Does a core capsule overlap one of an opponent by more than is allowed, in any of these ticks?"""
    ends, radii = _cores(game.stock, run, ticks)
    for opponent in opponents_of(game.sides, who):
        their_ends, their_radii = _cores(game.stock, running(state, opponent), ticks)
        there = (radii >= 0.0)[:, :, None] & (their_radii >= 0.0)[:, None, :]
        distance = axis_distance(ends[:, :, None], their_ends[:, None])
        depth = radii[:, :, None] + their_radii[:, None, :] - distance
        if np.any(there & (depth > game.rules.overlap)):
            return True
    return False


def _cores(stock: Stock, run: _Running, ticks: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The capsules of CORE in some ticks: ends (T, 7, 2, 3) and radii (T, 7)."""
    frames = stock.first[run.action] + np.minimum(ticks - run.start, stock.ticks[run.action])
    return carry(run.place, stock.body[frames[:, None], _CORE]), stock.radii[frames[:, None], _CORE]


# ---- The tree


def _node(
    game: _Game,
    team: int,
    state: State,
    sums: Sums,
    who: int,
    plies: int,
    depth: int,
    root: bool = False,
) -> _Outcome:
    """`who` selects; of `depth` plies `plies` are left, with this one. Both scores are those of `team`."""
    seen = believed(game.stock, game.sides, state, who)
    own = game.sides.team[who] == team
    if game.rules.model and not own:
        choices = considered(*game, seen, who)
        children = [_child(game, team, state, sums, who, choice, plies, depth) for choice in choices]
        does = np.where(choices == GO_ON, state.action[who], choices)
        return _mean(children, game.sides.guess[who, does])
    if not np.array_equal(seen.spent, state.spent):
        ahead = _plies_unaware(plies, depth)
        belief = _node(game, team, seen, sums, who, ahead, ahead, root)
        child = _child(game, team, state, sums, who, belief.line[0][1], plies, depth)
        return child._replace(nodes=child.nodes + belief.nodes)
    choices = considered(*game, state, who)
    children = [_child(game, team, state, sums, who, choice, plies, depth) for choice in choices]
    if root:
        children = [
            child._replace(competitive=child.competitive + _temper(game, state, who, choice))
            for child, choice in zip(children, choices)
        ]
    utility = _own_utility if own else _their_utility
    best = max(children, key=utility)  # the first of equals
    return best._replace(nodes=sum(child.nodes for child in children))


def _plies_unaware(plies: int, depth: int) -> int:
    """Depth of the search by a fighter that has not seen an attack, in the game that it believes in."""
    if plies == depth:
        return depth  # the fighter that searches
    return min(plies, _UNAWARE_PLIES) if plies == depth - 1 else 1


def _own_utility(outcome: _Outcome) -> float:
    return outcome.competitive + outcome.cooperative


def _their_utility(outcome: _Outcome) -> float:
    return -(outcome.competitive - outcome.cooperative)


def _child(
    game: _Game, team: int, state: State, sums: Sums, who: int, action: int, plies: int, depth: int
) -> _Outcome:
    """`who` selects an action, and the game goes on."""
    selection = (who, int(action), int(state.now))
    state, sums = select(*game, state, sums, who, action)
    state, sums, _ = advance(*game, state, sums, selecting=plies > 1)
    if plies == 1:
        signs = np.where(game.sides.team == team, 1.0, -1.0)
        return _Outcome(float(signs @ sums.competitive), float(sums.cooperative.sum()), (selection,), 1)
    rest = _node(game, team, state, sums, int(np.argmax(selects(state))), plies - 1, depth)
    return rest._replace(line=(selection, *rest.line), nodes=rest.nodes + 1)


def _mean(children: list[_Outcome], guess: np.ndarray) -> _Outcome:
    """The expected value for an opponent that repeats its habits; the line is the likeliest one."""
    weights = guess if guess.any() else np.ones(len(children))
    share = weights / weights.sum()
    competitive = sum(part * child.competitive for part, child in zip(share, children))
    cooperative = sum(part * child.cooperative for part, child in zip(share, children))
    nodes = sum(child.nodes for child in children)
    return _Outcome(float(competitive), float(cooperative), children[int(np.argmax(share))].line, nodes)
