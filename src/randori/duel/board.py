"""A game laid out for the kernels: tables whose columns kernels/duel_tables.py names."""

from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

import numpy as np

from randori.duel.game import Rules, Sides, State, Stock
from randori.graph.places import compose, inverse
from randori.kernels import duel_tables as t
from randori.kernels.contact import CORE, DAMAGE, GUARD, VITAL
from randori.kernels.duel_tables import (
    BEST_BLOW,
    LAST_STRIKE,
    MOST_STRIKES,
    SELECTING,
    SHARED_GAIN,
    STRIKE_REACH,
    ZERO_SUM,
)

_CALM = (
    0.25  # metres that are added to how far somebody gets in an action: the pelvis of an answer is not there
)


class Tables(NamedTuple):
    """What stays the same through a whole game, in the order in which kernels take it."""

    actions: np.ndarray  # (A, 9) int64
    spots: np.ndarray  # (A, 33)
    frames: np.ndarray  # (F, 6)
    body: np.ndarray  # (F, 16, 2, 3) float32
    radii: np.ndarray  # (F, 16) float32
    strikes: np.ndarray  # (S, 3) int64
    sweeps: np.ndarray  # (S, 54)
    response: np.ndarray  # (F, 12) int64
    choice_start: np.ndarray  # (P + 1,) int64
    choices: np.ndarray  # (K,) int64


class Threats(NamedTuple):
    """What can be struck from each posture, for bounds."""

    start: np.ndarray  # (P + 1,) int64
    rows: np.ndarray  # (K, 7)


class Wishes(NamedTuple):
    """What a person may change between two decisions."""

    sides: np.ndarray  # (N, 20)
    rules: np.ndarray  # (12,)
    combination: np.ndarray  # (D, T)
    requests: np.ndarray  # (N, A) int64
    guess: np.ndarray  # (N, A)
    bounds: np.ndarray  # (8,)


@dataclass(frozen=True)
class Travel:
    """How fast and how far anybody moves, and strikes, for bounds."""

    fastest: float  # metres per tick
    farthest: float  # metres in one action
    strike: float  # metres from the pelvis of who has just ended an action to where the next one can strike


class Layout(NamedTuple):
    """What does not change while a game is played."""

    tables: Tables
    travel: Travel
    threats: Threats


def lay_out(stock: Stock) -> Layout:
    """The tables of a stock."""
    actions = np.column_stack(
        [
            stock.first,
            stock.ticks,
            stock.kind,
            stock.short,
            stock.end_posture,
            stock.pairing,
            stock.strike_start[:-1],
            stock.strike_start[1:],
            stock.likeness,
        ]
    ).astype(np.int64)
    back, leaving = inverse(stock.entry), stock.exit
    ends = stock.first + stock.ticks
    looks = np.column_stack([stock.place[ends, :2], stock.facing[ends]])
    seen = _turned(compose(looks, back))
    after = _turned(compose(leaving, back))[:, [0, 1, 3, 4]]
    later = np.zeros((len(actions), 6))  # filled below, as other columns are
    spots = np.column_stack(
        [_turned(back), _turned(leaving), later[:, :4], seen, seen[:, :3], after, later, stock.room]
    )
    body = np.ascontiguousarray(stock.body, dtype=np.float32)
    radii = np.ascontiguousarray(stock.radii, dtype=np.float32)
    frames = np.column_stack(
        [stock.place, stock.facing, _reach(stock, VITAL + GUARD), _reach(stock, CORE)]
    ).astype(float)
    sweeps = np.zeros((len(stock.strike_first), t.SPEED_AT + t.HEIGHTS))
    heads, torsos = _lowest(stock, VITAL[:1]), _lowest(stock, VITAL[1:])
    vital = _reach(stock, VITAL)
    fastest = farthest = 0.0
    for action in range(len(actions)):
        shown = slice(stock.first[action], stock.first[action] + stock.ticks[action] + 1)
        pelvis = stock.place[shown, :2]
        centre = 0.5 * (pelvis.min(axis=0) + pelvis.max(axis=0))
        spots[action, [t.DISC_X, t.DISC_Z]] = centre
        away = np.linalg.norm(pelvis - centre, axis=-1)
        spots[action, t.DISC_R], spots[action, t.CORE_R] = (
            (away + frames[shown, t.REACH]).max(),
            (away + frames[shown, t.CORE_REACH]).max(),
        )
        spots[action, t.HEAD_LOW] = _step_of_height(heads[shown].min())
        spots[action, t.TORSO_LOW] = _step_of_height(torsos[shown].min())
        spots[action, t.VITAL_X : t.VITAL_REACH] = _disc(stock, shown, VITAL)
        spots[action, t.VITAL_REACH] = vital[shown].max()
        farthest = max(farthest, float(np.linalg.norm(pelvis - pelvis[0], axis=-1).max()))
        fastest = max(fastest, float(np.linalg.norm(np.diff(pelvis, axis=0), axis=-1).max(initial=0.0)))
        first, last = actions[action, t.STRIKES], actions[action, t.STRIKES_END]
        for strike in range(first, last):
            sweeps[strike, : t.RANGE], sweeps[strike, t.SPEED_AT :] = _sweep(stock, action, strike)
            sweeps[strike, t.WORST] = max(DAMAGE) * sweeps[strike, t.SPEED_AT]
        spots[action, t.DAMAGE_MOST] = sweeps[first:last, t.WORST].sum()
        if first < last:
            begins = stock.place[stock.first[action] + stock.strike_first[first]]
            spots[action, [t.STRIKE_X, t.STRIKE_Z]] = compose(begins[None], back[action : action + 1])[0, :2]
    sweeps[:, t.RANGE], sweeps[:, t.ROOM] = stock.strike_range, stock.strike_room
    strikes = np.column_stack([stock.strike_first, stock.strike_stop, stock.strike_capsule]).astype(np.int64)
    tables = Tables(
        np.ascontiguousarray(actions),
        np.ascontiguousarray(spots),
        np.ascontiguousarray(frames),
        body,
        radii,
        np.ascontiguousarray(strikes.reshape(-1, 3)),
        sweeps,
        np.ascontiguousarray(stock.response, dtype=np.int64),
        np.ascontiguousarray(stock.choice_start, dtype=np.int64),
        np.ascontiguousarray(stock.choices, dtype=np.int64),
    )
    return Layout(tables, Travel(fastest, farthest + _CALM, _strike_reach(tables)), _threats(tables))


def _turned(places: np.ndarray) -> np.ndarray:
    """(N, 5) places with the cosine and sine of their yaw."""
    return np.column_stack([places, np.cos(places[:, 2]), np.sin(places[:, 2])])


def _reach(stock: Stock, parts: tuple[int, ...]) -> np.ndarray:
    """(F,) metres over the floor from the pelvis to the farthest of some capsules."""
    chosen, radii = stock.body[:, list(parts)][..., [0, 2]], stock.radii[:, list(parts)]
    far = np.linalg.norm(chosen - stock.place[:, None, None, :2], axis=-1).max(axis=-1) + radii
    return np.where(radii < 0.0, 0.0, far).max(axis=1)


def _disc(stock: Stock, shown: slice, parts: tuple[int, ...]) -> np.ndarray:
    """A disc (x, z, radius) that some capsules do not leave."""
    there = stock.radii[shown, list(parts)] >= 0.0
    ends = stock.body[shown, list(parts)][..., [0, 2]][there].astype(float)
    if len(ends) == 0:
        return np.zeros(3)
    centre = 0.5 * (ends.min(axis=(0, 1)) + ends.max(axis=(0, 1)))
    far = np.linalg.norm(ends - centre, axis=-1).max(axis=1) + stock.radii[shown, list(parts)][there]
    return np.array([*centre, far.max()])


def _lowest(stock: Stock, parts: tuple[int, ...]) -> np.ndarray:
    """(F,) metres: the lowest point of some capsules."""
    low = stock.body[:, list(parts)][..., 1].min(axis=2) - stock.radii[:, list(parts)]
    return np.where(stock.radii[:, list(parts)] < 0.0, np.inf, low).min(axis=1)


def _step_of_height(height: float) -> int:
    """The step of height in which, or above which, it is."""
    return int(np.clip((height - 1e-5) / t.HEIGHT_STEP, 0, t.HEIGHTS - 1))


def _sweep(stock: Stock, action: int, strike: int) -> tuple[np.ndarray, np.ndarray]:
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
    steps = t.HEIGHT_STEP * np.arange(t.HEIGHTS)
    fastest = np.where(high >= steps[:, None], speeds, 0.0).max(axis=1, initial=0.0)
    return np.array([*centre, radius]), fastest * (1.0 + 1e-9)


def _threats(tables: Tables) -> Threats:
    """The strikes of each posture's choices, the worst first."""
    actions, spots = tables.actions, tables.spots
    owner = np.repeat(np.arange(len(actions)), actions[:, t.STRIKES_END] - actions[:, t.STRIKES])
    swept = np.column_stack([tables.sweeps[:, : t.SWEEP_R], np.zeros(len(owner))])
    seen = compose(swept, spots[owner, t.IN_X : t.IN_COS])[:, :2]
    stop = tables.strikes[:, t.WINDOW_END] - 1
    middle = (tables.strikes[:, t.WINDOW] + stop) // 2
    rows = np.column_stack(
        [seen, tables.sweeps[:, t.SWEEP_R], spots[owner, t.DAMAGE_MOST], owner, middle, stop - middle]
    )
    start, found = [0], [np.zeros((0, rows.shape[1]))]
    for first, last in pairwise(tables.choice_start):
        of_posture = np.flatnonzero(np.isin(owner, tables.choices[first:last]))
        found.append(rows[of_posture[np.argsort(-rows[of_posture, t.THREAT_WORST], kind="stable")]])
        start.append(start[-1] + len(of_posture))
    return Threats(np.array(start, dtype=np.int64), np.ascontiguousarray(np.concatenate(found)))


def lay_out_wishes(sides: Sides, rules: Rules, tables: Tables, travel: Travel, tick: float) -> Wishes:
    """What the fighters want, and bounds on what they can get."""
    table = np.column_stack(
        [
            sides.team,
            sides.facing_weight,
            sides.distance_weight,
            sides.distance,
            sides.given_long,
            sides.given_short,
            sides.taken,
            sides.pairing_weight,
            sides.duration_weight,
            sides.recency_weight,
            sides.heading_weight,
            sides.heading,
            sides.path_weight,
            sides.goal,
            sides.request_weight,
            sides.pairing_shared,
            sides.path_rival,
            sides.reaction,
            sides.touch,
        ]
    ).astype(float)
    flat = np.array(
        [
            rules.overlap,
            rules.overlap_step,
            rules.facing,
            rules.defence_range,
            rules.heavy,
            rules.felling,
            rules.forgetting,
            tick,
            float(rules.model),
            max(travel.fastest, 1e-6),
            travel.farthest,
            rules.alike,
        ]
    )
    return Wishes(
        np.ascontiguousarray(table),
        flat,
        np.ascontiguousarray(sides.combination, dtype=float).reshape(sides.combination.shape),
        np.ascontiguousarray(sides.request, dtype=np.int64),
        np.ascontiguousarray(sides.guess, dtype=float),
        _bounds(sides, rules, tables, travel, tick),
    )


def _bounds(sides: Sides, rules: Rules, tables: Tables, travel: Travel, tick: float) -> np.ndarray:
    """Whether the game is zero-sum, the most that one selection adds to S_coop, and so on."""
    asked = (sides.request * sides.request_weight[:, None]).max(axis=1, initial=0.0)
    suits = np.where(sides.pairing_shared, sides.pairing_weight, 0.0) * max(
        float(sides.combination.max(initial=0.0)), 0.0
    )
    roams = np.where(sides.path_rival, 0.0, sides.path_weight + sides.heading_weight)
    shared = np.where(sides.pairing_shared, sides.pairing_weight, 0.0)
    zero_sum = not (roams.any() or shared.any() or (sides.request * sides.request_weight[:, None]).any())
    bounds = np.zeros(BEST_BLOW + 2)
    bounds[ZERO_SUM] = float(zero_sum and not rules.model)
    bounds[SHARED_GAIN] = float((asked + suits).max())
    counts = tables.actions[:, t.STRIKES_END] - tables.actions[:, t.STRIKES]
    bounds[MOST_STRIKES] = counts.max(initial=0)
    bounds[STRIKE_REACH] = travel.strike
    bounds[LAST_STRIKE] = tables.strikes[:, t.WINDOW_END].max(initial=0)
    longest = float(tables.actions[:, t.TICKS].max(initial=0)) * tick
    just_used = sum(abs(rules.forgetting) ** k for k in range(rules.remembered)) * max(1.0, abs(rules.alike))
    control = np.abs(sides.duration_weight) * longest + np.abs(sides.recency_weight) * just_used
    suitable = np.abs(sides.pairing_weight) * np.abs(sides.combination).max(initial=0.0)
    bounds[SELECTING] = float((control + suitable).max())
    owner = np.repeat(np.arange(len(counts)), counts)
    worst = np.bincount(owner, tables.sweeps[:, t.WORST], minlength=len(counts))
    for fighter, team in enumerate(sides.team):
        hurt = max((worth for worth, other in zip(sides.taken, sides.team) if other != team), default=0.0)
        given = np.where(tables.actions[:, t.SHORT], sides.given_short[fighter], sides.given_long[fighter])
        gain = (worst + (1.0 if sides.touch[fighter] > 0.0 else 0.0)) * (given + hurt)
        row = BEST_BLOW + int(team)
        bounds[row] = max(bounds[row], float(gain.max(initial=0.0)))
    return bounds


def _strike_reach(tables: Tables) -> float:
    """Metres: how far from the pelvis of who has just ended an action the next one can strike."""
    counts = tables.actions[:, t.STRIKES_END] - tables.actions[:, t.STRIKES]
    owner = np.repeat(np.arange(len(counts)), counts)
    if len(owner) == 0:
        return 0.0
    # the sweep and the pelvises at ends, as the frames of the postures see them
    back = tables.spots[owner, t.IN_X : t.IN_COS]
    centre = compose(np.column_stack([tables.sweeps[:, : t.SWEEP_R], np.zeros(len(owner))]), back)[:, :2]
    strike = (np.linalg.norm(centre, axis=-1) + tables.sweeps[:, t.SWEEP_R]).max()
    ends = tables.actions[:, t.FIRST] + tables.actions[:, t.TICKS]
    leaving = inverse(tables.spots[:, t.OUT_X : t.OUT_COS])
    pelvis = compose(tables.frames[ends, : t.FACING], leaving)[:, :2]
    return float(strike + np.linalg.norm(pelvis, axis=-1).max())


class Moment(NamedTuple):
    """Levels of a game in which kernels play, in the order in which kernels take them."""

    doing: np.ndarray  # (L, N, 5) int64
    where: np.ndarray  # (L, N, 5)
    recent: np.ndarray  # (L, N, R) int64
    sums: np.ndarray  # (L, 2)
    clock: np.ndarray  # (L,) int64


def new_moment(levels: int, fighters: int, remembered: int) -> Moment:
    """Room for a game."""
    return Moment(
        np.zeros((levels, fighters, 5), dtype=np.int64),
        np.zeros((levels, fighters, 5)),
        np.full((levels, fighters, remembered), -1, dtype=np.int64),
        np.zeros((levels, 2)),
        np.zeros(levels, dtype=np.int64),
    )


def set_moment(moment: Moment, state: State) -> None:
    """Make a state the first level."""
    moment.doing[0] = np.column_stack([state.action, state.start, state.stop, state.spent, state.idle])
    moment.where[0] = _turned(state.place)
    moment.recent[0] = state.recent
    moment.sums[0] = 0.0
    moment.clock[0] = state.now


def read_moment(moment: Moment) -> State:
    """The first level as a state."""
    doing = moment.doing[0]
    return State(
        int(moment.clock[0]),
        doing[:, 0].copy(),
        doing[:, 1].copy(),
        doing[:, 2].copy(),
        moment.where[0, :, :3].copy(),
        doing[:, 3].copy(),
        doing[:, 4].astype(bool),
        moment.recent[0].copy(),
    )
