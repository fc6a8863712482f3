"""A game laid out for the kernels, in the records of kernels/duel_records.py."""

import math
from collections.abc import Mapping
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from randori.duel.added import NOTHING_ADDED, Added
from randori.duel.game import Rules, Sides, State, Stock
from randori.graph.places import compose, inverse
from randori.kernels import duel_added
from randori.kernels import duel_records as records
from randori.kernels.contact import CORE, DAMAGE, GUARD, VITAL
from randori.kernels.duel_added import ExtendedGame
from randori.kernels.duel_records import AT_END, AT_SELECTION, Bounds, Columns, Game, Levels, Tables

_BALL_ERROR = 1e-4  # metres that are added to the radius of a ball, as its middle has single precision
_NOWHERE_DISTANCE = 1e6  # metres: the middle of a ball that touches nothing
_ENDLESS_TICKS = 1 << 20  # ticks that no action lasts
_LANES = 8  # balls that one vector instruction looks at


@dataclass(frozen=True)
class Extremes:
    """Limits that no action exceeds; the bounds use them."""

    fastest: float  # metres per tick
    farthest: float  # metres from where a fighter stands as it begins an action
    strikes: int  # of one action
    last_strike: int  # ticks from the start of an action to its last strike
    ticks: int  # of one action
    still: float  # seconds in which both feet stand still in one action


class Layout(NamedTuple):
    """The tables that do not change while a game is played."""

    tables: Tables
    extremes: Extremes


def lay_out(stock: Stock) -> Layout:
    """The tables of a stock."""
    actions, strikes = (
        np.zeros(len(stock.first), records.ACTION),
        np.zeros(len(stock.strike_first), records.STRIKE),
    )
    frames = _frames(stock)
    speeds = np.zeros((len(strikes), records.HEIGHTS))
    _fill_actions(stock, actions)
    _fill_strikes(stock, actions, strikes, speeds)
    fastest, farthest = _measure_actions(stock, frames, strikes, actions)
    tables = Tables(
        actions,
        frames,
        np.ascontiguousarray(stock.body, dtype=np.float32),
        np.ascontiguousarray(stock.radii, dtype=np.float32),
        _balls(stock, CORE),
        _balls(stock, VITAL + GUARD),
        strikes,
        _swings(stock, actions, strikes),
        speeds,
        np.ascontiguousarray(stock.response, dtype=np.int64),
        np.ascontiguousarray(stock.turned, dtype=np.int64),
        _breaks(stock),
        np.ascontiguousarray(stock.choice_start, dtype=np.int64),
        np.ascontiguousarray(stock.choices, dtype=np.int64),
        _columns(actions[stock.choices]),
        *_threats(stock, actions, strikes),
    )
    extremes = Extremes(
        fastest,
        farthest,
        int((actions["strike_stop"] - actions["strike_start"]).max(initial=0)),
        int(strikes["stop"].max(initial=0)),
        int(actions["ticks"].max(initial=0)),
        float(actions["still"].max(initial=0.0)),
    )
    return Layout(tables, extremes)


def _fill(rows: np.ndarray, **columns: np.ndarray) -> None:
    """Set fields of a record array."""
    for name, values in columns.items():
        rows[name] = values


def _place(rows: np.ndarray, places: np.ndarray) -> None:
    """Set rows of PLACEMENT to places (N, 3)."""
    x, z, yaw = places.T
    _fill(rows, x=x, z=z, yaw=yaw, cos=np.cos(yaw), sin=np.sin(yaw))


def _places(rows: np.ndarray) -> np.ndarray:
    """(N, 3) x, z and yaw of rows of PLACEMENT."""
    return np.stack([rows["x"], rows["z"], rows["yaw"]], axis=-1)


def _frames(stock: Stock) -> np.ndarray:
    """(F,) FRAME."""
    frames = np.zeros(len(stock.place), records.FRAME)
    x, z, yaw = stock.place.T
    reach, core_reach = _reach(stock, VITAL + GUARD), _reach(stock, CORE)
    _fill(frames, x=x, z=z, yaw=yaw, facing=stock.facing, reach=reach, core_reach=core_reach)
    return frames


def _breaks(stock: Stock) -> np.ndarray:
    """(F,) BREAK."""
    breaks = np.zeros(len(stock.place), records.BREAK)
    _place(breaks["exit"], stock.break_place)
    frames = np.arange(len(breaks))
    nowhere = len(breaks) + _ENDLESS_TICKS
    following = np.where(stock.break_posture >= 0, frames, nowhere)
    following = np.minimum.accumulate(following[::-1])[::-1]
    _fill(breaks, posture=stock.break_posture, wait=following - frames)
    return breaks


def _fill_actions(stock: Stock, actions: np.ndarray) -> None:
    """All of the actions that needs no look at their frames."""
    _fill(
        actions,
        first=stock.first,
        ticks=stock.ticks,
        kind=stock.kind,
        short=stock.short,
        end_posture=stock.end_posture,
        pairing=stock.pairing,
        likeness=stock.likeness,
        strike_start=stock.strike_start[:-1],
        strike_stop=stock.strike_start[1:],
        room=stock.room,
        still=stock.still,
    )
    ends, back = stock.first + stock.ticks, inverse(stock.entry)
    looks = np.column_stack([stock.place[ends, :2], stock.facing[ends]])
    _place(actions["entry"], back)
    _place(actions["exit"], stock.exit)
    _place(actions["next"], compose(stock.exit, back))
    _place(actions["end"], compose(looks, back))
    armed = np.flatnonzero(actions["strike_start"] < actions["strike_stop"])
    begins = stock.place[stock.first[armed] + stock.strike_first[actions["strike_start"][armed]]]
    pelvis = compose(begins, back[armed])
    actions["strike_x"][armed], actions["strike_z"][armed] = pelvis[:, 0], pelvis[:, 1]


def _fill_strikes(stock: Stock, actions: np.ndarray, strikes: np.ndarray, speeds: np.ndarray) -> None:
    """All of the strikes, and how fast they are at heights."""
    _fill(
        strikes,
        first=stock.strike_first,
        stop=stock.strike_stop,
        capsule=stock.strike_capsule,
        range=stock.strike_range,
        room=stock.strike_room,
    )
    for action, (start, stop) in enumerate(zip(actions["strike_start"], actions["strike_stop"])):
        for strike in range(start, stop):
            strikes["sweep"][strike], speeds[strike] = _sweep(stock, action, strike)
        actions["last_strike"][action] = strikes["stop"][start:stop].max(initial=0)
    strikes["most_damage"] = max(DAMAGE) * speeds[:, 0]


def _measure_actions(
    stock: Stock, frames: np.ndarray, strikes: np.ndarray, actions: np.ndarray
) -> tuple[float, float]:
    """Fill in the room that bodies take in each action.

    Returns metres per tick, and metres from where it stands as it begins an action, that no fighter exceeds.
    """
    # 1. The frames of all actions one after the other, and the action that owns each.
    shown = stock.ticks + 1
    start = np.cumsum(shown) - shown
    owner = np.repeat(np.arange(len(actions)), shown)
    rows = stock.first[owner] + np.arange(len(owner)) - start[owner]

    # 2. The room around the pelvis.
    pelvis = stock.place[rows, :2]
    centre = 0.5 * (np.minimum.reduceat(pelvis, start) + np.maximum.reduceat(pelvis, start))
    away = np.linalg.norm(pelvis - centre[owner], axis=-1)
    radius = np.maximum.reduceat(away + frames["reach"][rows], start)
    _fill(actions["body"], x=centre[:, 0], z=centre[:, 1], radius=radius)
    actions["core_radius"] = np.maximum.reduceat(away + frames["core_reach"][rows], start)

    # 3. The parts that a strike can hurt.
    x, z, radius = _discs(stock, VITAL, rows, start, owner).T
    _fill(actions["vital"], x=x, z=z, radius=radius)
    actions["vital_reach"] = np.maximum.reduceat(_reach(stock, VITAL)[rows], start)
    for name, parts in (("head_low", VITAL[:1]), ("torso_low", VITAL[1:])):
        actions[name] = _steps_of_height(np.minimum.reduceat(_lowest(stock, parts)[rows], start))
    for row in actions:
        row["most_damage"] = strikes["most_damage"][row["strike_start"] : row["strike_stop"]].sum()

    # 4. How far and how fast pelvises get.
    farthest = np.linalg.norm(pelvis - pelvis[start][owner], axis=-1).max(initial=0.0)
    steps = np.diff(pelvis, axis=0)[np.diff(owner) == 0]
    fastest = np.linalg.norm(steps, axis=-1).max(initial=0.0)
    return float(fastest), float(farthest) + _most_shift(stock)


def _most_shift(stock: Stock) -> float:
    """The most metres from one action's pelvis to the next one's: their postures are only similar."""
    pelvis, broken = stock.place[:, :2], stock.break_posture >= 0
    shifts = (
        stock.entry[:, :2] - pelvis[stock.first],
        stock.exit[:, :2] - pelvis[stock.first + stock.ticks],
        (stock.break_place[:, :2] - pelvis)[broken],
    )
    begins, ends, breaks = (float(np.linalg.norm(shift, axis=-1).max(initial=0.0)) for shift in shifts)
    return begins + max(ends, breaks)


def _reach(stock: Stock, parts: tuple[int, ...]) -> np.ndarray:
    """(F,) metres over the floor from the pelvis to the farthest of some capsules."""
    chosen, radii = stock.body[:, list(parts)][..., [0, 2]], stock.radii[:, list(parts)]
    far = np.linalg.norm(chosen - stock.place[:, None, None, :2], axis=-1).max(axis=-1) + radii
    return np.where(radii < 0.0, 0.0, far).max(axis=1)


def _discs(
    stock: Stock, parts: tuple[int, ...], rows: np.ndarray, start: np.ndarray, owner: np.ndarray
) -> np.ndarray:
    """(A, 3) discs (x, z, radius) that some capsules do not leave in the frames of each action.

    The frames `rows` (N,) belong to the actions `owner` (N,), those of each from `start` (A,) on.
    """
    radii = stock.radii[rows[:, None], list(parts)]
    ends = stock.body[rows[:, None], list(parts)][..., [0, 2]].astype(float)
    there = radii >= 0.0
    low = np.where(there[..., None], ends.min(axis=2), np.inf).min(axis=1)
    high = np.where(there[..., None], ends.max(axis=2), -np.inf).max(axis=1)
    low, high = np.minimum.reduceat(low, start), np.maximum.reduceat(high, start)
    centre = np.where(low <= high, 0.5 * (low + high), 0.0)
    far = np.linalg.norm(ends - centre[owner, None, None], axis=-1).max(axis=2) + radii
    return np.column_stack([centre, np.maximum.reduceat(np.where(there, far, 0.0).max(axis=1), start)])


def _balls(stock: Stock, parts: tuple[int, ...]) -> np.ndarray:
    """(F, 4, 8) float32: the middles and the radii of balls that hold some capsules."""
    ends, radii = stock.body[:, list(parts)].astype(float), stock.radii[:, list(parts)].astype(float)
    balls = np.zeros((len(ends), 4, _LANES), dtype=np.float32)
    balls[:, :3] = _NOWHERE_DISTANCE  # the lanes that are too many, and the capsules that are not there
    there = radii >= 0.0
    middle = np.where(there[:, None], ends.mean(axis=2).transpose(0, 2, 1), _NOWHERE_DISTANCE)
    half = 0.5 * np.linalg.norm(ends[:, :, 1] - ends[:, :, 0], axis=-1)
    balls[:, :3, : len(parts)] = middle
    balls[:, 3, : len(parts)] = np.where(there, half + radii + _BALL_ERROR, 0.0)
    return balls


def _lowest(stock: Stock, parts: tuple[int, ...]) -> np.ndarray:
    """(F,) metres: the lowest point of some capsules."""
    low = stock.body[:, list(parts)][..., 1].min(axis=2) - stock.radii[:, list(parts)]
    return np.where(stock.radii[:, list(parts)] < 0.0, np.inf, low).min(axis=1)


def _steps_of_height(heights: np.ndarray) -> np.ndarray:
    """(A,) int64: the steps of height in which, or above which, these heights (A,) are."""
    return np.clip((heights - 1e-5) / records.HEIGHT_STEP, 0, records.HEIGHTS - 1).astype(np.int64)


def _sweep(stock: Stock, action: int, strike: int) -> tuple[tuple[float, ...], np.ndarray]:
    """A disc (x, z, radius) that a striking capsule does not leave, and how fast it is at heights."""
    first = int(stock.first[action])
    begin, stop = first + int(stock.strike_first[strike]), first + int(stock.strike_stop[strike])
    # an action that has ended shows its last frame
    ends = stock.body[max(begin - 1, 0) : stop, int(stock.strike_capsule[strike])].astype(float)
    flat = ends[..., [0, 2]].reshape(-1, 2)
    centre = 0.5 * (flat.min(axis=0) + flat.max(axis=0))
    wide = float(stock.radii[begin, int(stock.strike_capsule[strike])])
    radius = float(np.linalg.norm(flat - centre, axis=-1).max()) + wide
    speeds = np.linalg.norm(np.diff(ends[:, 1], axis=0), axis=-1) / stock.tick
    high = ends[..., 1].max(axis=1) + wide
    high = np.maximum(high[:-1], high[1:])  # between two ticks, too
    steps = records.HEIGHT_STEP * np.arange(records.HEIGHTS)
    fastest = np.where(high >= steps[:, None], speeds, 0.0).max(axis=1, initial=0.0)
    return (*centre.tolist(), radius), fastest * (1.0 + 1e-9)


def _swings(stock: Stock, actions: np.ndarray, strikes: np.ndarray) -> np.ndarray:
    """(W, 4) balls that hold the striking part, now and half a tick ago, for each tick of all strikes."""
    ticks = strikes["stop"] - strikes["first"]
    strikes["swing"] = np.cumsum(ticks) - ticks
    owner = np.repeat(np.arange(len(strikes)), ticks)
    since = np.arange(len(owner)) - strikes["swing"][owner]
    frames = (actions["first"][_owners(actions)] + strikes["first"])[owner] + since
    capsules = strikes["capsule"][owner]
    ends = stock.body[frames, capsules].astype(float)  # (W, 2, 3)
    before = 0.5 * (ends + stock.body[np.maximum(frames - 1, 0), capsules])
    points = np.concatenate([ends, before], axis=1)
    centre = 0.5 * (points.min(axis=1) + points.max(axis=1))
    away = np.linalg.norm(points - centre[:, None], axis=-1).max(axis=1)
    return np.column_stack([centre, away + stock.radii[frames, capsules] + _BALL_ERROR])


def _owners(actions: np.ndarray) -> np.ndarray:
    """(S,) the action of each strike."""
    return np.repeat(np.arange(len(actions)), actions["strike_stop"] - actions["strike_start"])


def _seen_by_posture(actions: np.ndarray, strikes: np.ndarray) -> np.ndarray:
    """(S, 2) the middle of each strike's sweep, as the posture that its action starts in sees it."""
    sweep = strikes["sweep"]
    swept = np.column_stack([sweep["x"], sweep["z"], np.zeros(len(sweep))])
    return compose(swept, _places(actions["entry"][_owners(actions)]))[:, :2]


def _columns(choices: np.ndarray) -> Columns:
    """The rows of the choices (K,) ACTION, column by column."""
    numbers = [choices["first"], choices["ticks"]]
    places = [choices[place][name] for place in ("end", "entry") for name in ("x", "z", "cos", "sin")]
    return Columns(*map(np.ascontiguousarray, numbers + places))


def _threats(stock: Stock, actions: np.ndarray, strikes: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The first threat of each posture, and all threats: strikes of its choices, the worst first."""
    owner, last = _owners(actions), strikes["stop"] - 1
    middle = (strikes["first"] + last) // 2
    rows = np.zeros(len(strikes), records.THREAT)
    x, z = _seen_by_posture(actions, strikes).T
    _fill(rows["sweep"], x=x, z=z, radius=strikes["sweep"]["radius"])
    _fill(rows, most_damage=actions["most_damage"][owner], action=owner, middle=middle, half=last - middle)
    start, found = [0], [rows[:0]]
    for first, stop in pairwise(stock.choice_start):
        of_posture = np.flatnonzero(np.isin(owner, stock.choices[first:stop]))
        found.append(rows[of_posture[np.argsort(-rows["most_damage"][of_posture], kind="stable")]])
        orders = np.argsort(stock.choices[first:stop])
        found[-1]["order"] = orders[
            np.searchsorted(stock.choices[first:stop], found[-1]["action"], sorter=orders)
        ]
        start.append(start[-1] + len(of_posture))
    return np.array(start, dtype=np.int64), np.concatenate(found)


# ---- What the fighters want


def make_game(layout: Layout, sides: Sides, rules: Rules, tick: float) -> Game | ExtendedGame:
    """The wishes of the fighters and bounds on their gains, beside the tables; a tick is in seconds."""
    game = Game(
        layout.tables,
        _sides(sides, layout.tables),
        np.ascontiguousarray(sides.combination, dtype=float).reshape(sides.combination.shape),
        np.ascontiguousarray(sides.request, dtype=np.int64),
        np.ascontiguousarray(sides.urge, dtype=float),
        np.ascontiguousarray(sides.guess, dtype=float),
        records.Rules(
            float(rules.overlap),
            int(rules.overlap_step),
            float(rules.facing),
            math.cos(rules.facing),
            float(rules.defence_range),
            float(rules.heavy),
            float(rules.felling),
            float(rules.stamina),
            float(rules.forgetting),
            float(rules.alike),
            float(tick),
            float(rules.patience),
            bool(rules.model),
        ),
        _bounds(sides, rules, layout, tick),
    )
    if rules.added == NOTHING_ADDED:
        return game
    return ExtendedGame(*game, _added(rules.added, sides.added))


def _added(added: Added, weights: np.ndarray) -> duel_added.Added:
    """The terms and rules of users, with their weights (N, T), for the kernels."""
    terms = added.terms
    when = np.array([term.when for term in terms], dtype=np.int64)
    least = np.array([term.least for term in terms], dtype=float)
    most = np.array([term.most for term in terms], dtype=float)
    gain, loss = np.maximum(weights * most, 0.0), np.maximum(-weights * least, 0.0)

    def largest(amount: np.ndarray, kind: int) -> float:
        """Of all fighters, by the terms of one kind."""
        return float(amount[:, when == kind].sum(axis=1).max(initial=0.0))

    return duel_added.Added(
        np.array([duel_added.address_of(term.function, float) for term in terms], dtype=np.int64),
        when,
        least,
        most,
        np.ascontiguousarray(weights, dtype=float),
        np.array([duel_added.address_of(rule.function, bool) for rule in added.rules], dtype=np.int64),
        largest(gain, AT_END),
        largest(loss, AT_END),
        largest(gain, AT_SELECTION),
        largest(loss, AT_SELECTION),
    )


def _sides(sides: Sides, tables: Tables) -> np.ndarray:
    """(N,) SIDE."""
    rows = np.zeros(len(sides.team), records.SIDE)
    named: Mapping[str, np.ndarray] = sides._asdict()
    same = [name for name in records.SIDE.fields or () if name in named]
    _fill(rows, **{name: named[name] for name in same}, goal_x=sides.goal[:, 0], goal_z=sides.goal[:, 1])
    worst, best = tables.actions["most_damage"], np.zeros(2)
    for fighter, team in enumerate(sides.team):
        hurt = max((worth for worth, other in zip(sides.taken, sides.team) if other != team), default=0.0)
        given = np.where(tables.actions["short"], sides.given_short[fighter], sides.given_long[fighter])
        gain = (worst + (1.0 if sides.touch[fighter] > 0.0 else 0.0)) * (given + hurt)
        best[team] = max(best[team], float(gain.max(initial=0.0)))
    rows["best_blow"] = best[sides.team]
    return rows


def _bounds(sides: Sides, rules: Rules, layout: Layout, tick: float) -> Bounds:
    """Values that hold for a whole search."""
    extremes = layout.extremes
    requests = sides.request * sides.request_weight[:, None]
    shared = np.where(sides.pairing_shared, sides.pairing_weight, 0.0)
    roams = np.where(sides.path_rival, 0.0, sides.path_weight + sides.heading_weight)
    zero_sum = not (roams.any() or shared.any() or requests.any() or rules.model)
    suits = shared * max(float(sides.combination.max(initial=0.0)), 0.0)
    longest = float(extremes.ticks) * tick
    control = np.abs(sides.duration_weight) * longest
    control += np.abs(sides.stillness_weight) * extremes.still
    suitable = np.abs(sides.pairing_weight) * np.abs(sides.combination).max(initial=0.0)
    return Bounds(
        zero_sum=bool(zero_sum),
        shared_gain=float((requests.max(axis=1, initial=0.0) + suits).max()),
        most_strikes=float(extremes.strikes),
        selecting=float((control + suitable).max()),
        suiting=float(suitable.max()),
        last_strike=extremes.last_strike,
        fastest=max(extremes.fastest, 1e-6),
        travel=extremes.farthest,
    )


# ---- Moments


def new_levels(levels: int, fighters: int, remembered: int) -> Levels:
    """Room for a game."""
    return Levels(
        np.zeros((levels, fighters), records.FIGHTER),
        np.full((levels, fighters, remembered), -1, dtype=np.int64),
        np.zeros(levels, records.MOMENT),
    )


def set_state(levels: Levels, state: State) -> None:
    """Make a state the first level."""
    fighters = levels.fighters[0]
    same = ("action", "start", "stop", "spent", "idle", "alert", "peace", "onset", "hurt")
    _fill(fighters, **{name: getattr(state, name) for name in same})
    _place(fighters["place"], state.place)
    levels.recent[0] = state.recent
    levels.moments[0] = (state.now, 0.0, 0.0)


def read_state(levels: Levels) -> State:
    """The first level as a state."""
    fighters = levels.fighters[0]
    return State(
        int(levels.moments["now"][0]),
        fighters["action"].copy(),
        fighters["start"].copy(),
        fighters["stop"].copy(),
        _places(fighters["place"]),
        fighters["spent"].copy(),
        fighters["idle"].astype(bool),
        levels.recent[0].copy(),
        fighters["alert"].copy(),
        fighters["peace"].copy(),
        fighters["onset"].copy(),
        fighters["hurt"].copy(),
    )


def place_of(levels: Levels, fighter: int) -> np.ndarray:
    """(3,) x, z and yaw of a fighter's recording."""
    return _places(levels.fighters["place"][0, fighter])


def set_place(levels: Levels, fighter: int, place: np.ndarray) -> None:
    """Move a fighter's recording."""
    _place(levels.fighters["place"][0, fighter : fighter + 1], np.asarray(place)[None])


def set_position(levels: Levels, fighter: int, position: np.ndarray) -> None:
    """Move a fighter's recording to another position (2,), without turning it."""
    place = levels.fighters["place"][0, fighter : fighter + 1]
    place["x"], place["z"] = position
