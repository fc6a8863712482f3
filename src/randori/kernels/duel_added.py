"""Terms and rules that a user adds to the duel (duel/added.py), called through their addresses.

A game without any is a `Game`, one with some is an `ExtendedGame`. Numba compiles kernels for the type of the
game that they get, so the functions at the end of this page have two bodies: for a `Game` they come to
nothing, and the search is what it would be without them.
"""

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any, NamedTuple

import numba
import numpy as np
from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic, overload

from randori.errors import RandoriError
from randori.kernels.angles import without_full_turns
from randori.kernels.compile import inlined
from randori.kernels.duel_places import frame_at, nearest, pelvis_in
from randori.kernels.duel_records import AT_END, Bounds, Rules, Tables, View


class Added(NamedTuple):
    """Additions by users: T terms and R rules. N fighters."""

    terms: np.ndarray  # (T,) int64: addresses
    when: np.ndarray  # (T,) int64: AT_END, AT_SELECTION or AT_ROOT
    least: np.ndarray  # (T,) the smallest value that counts
    most: np.ndarray  # (T,) the largest
    weights: np.ndarray  # (N, T), not negative
    rules: np.ndarray  # (R,) int64: addresses
    end_gain: float  # the most that the end of an action can add for any fighter
    end_loss: float  # the most that it can cost
    selection_gain: float  # the same for a selection
    selection_loss: float


class ExtendedGame(NamedTuple):
    """A `Game` with the terms and rules of users."""

    tables: Tables
    sides: np.ndarray
    combination: np.ndarray
    requests: np.ndarray
    urges: np.ndarray
    guess: np.ndarray
    rules: Rules
    bounds: Bounds
    added: Added


# ---- Functions of users


_VIEW = (types.int64, types.int64) + (types.float64,) * (len(View._fields) - 2)
_RESULTS: dict[type, Any] = {float: types.float64, bool: types.int64}


@lru_cache(maxsize=256)
def _compiled(function: Callable[[View], Any], result: type) -> Any:
    """A user's function as machine code, for as long as the process runs."""
    inner: Any = numba.njit(nogil=True, error_model="numpy")(function)

    # a function with an address takes no tuples
    def call(kind, strikes, seconds, time, x, z, look, opponent_x, opponent_z, distance, bearing):
        view = View(kind, strikes, seconds, time, x, z, look, opponent_x, opponent_z, distance, bearing)
        return result(inner(view))

    try:
        return numba.cfunc(_RESULTS[result](*_VIEW), error_model="numpy")(call)
    except Exception as error:  # Numba has many; a few are no NumbaError
        raise RandoriError(
            f"{function.__name__} cannot be compiled. It may use numbers, math and functions like itself; "
            f"Numba says: {str(error).strip().splitlines()[-1]}"
        ) from error


def address_of(function: Callable[[View], Any], result: type) -> int:
    """The address of a term's (result float) or a rule's (result bool) machine code in this process."""
    return int(_compiled(function, result).address)


def _caller(result: Any) -> Any:
    """A kernel function that calls an address with the fields of a View."""

    @intrinsic
    def call(context, address, view):
        signature = result(types.int64, view)

        def generate(target, builder, signature, arguments):
            fields = cgutils.unpack_tuple(builder, arguments[1])
            whole, number = ir.IntType(64), ir.DoubleType()
            kinds = [whole, whole] + [number] * (len(fields) - 2)
            kind = ir.FunctionType(number if result == types.float64 else whole, kinds)
            pointer = builder.inttoptr(arguments[0], kind.as_pointer())
            return builder.call(pointer, fields)

        return signature, generate

    return call


_call_term, _call_rule = _caller(types.float64), _caller(types.int64)


@inlined
def value_of_term(added, fighter, term, view):
    """The value of a term for a fighter. A value beyond the term's bounds, or no number, becomes a bound."""
    value = _call_term(added.terms[term], view)
    if not value >= added.least[term]:
        value = added.least[term]
    if value > added.most[term]:
        value = added.most[term]
    return added.weights[fighter, term] * value


@inlined
def sum_of_terms(added, fighter, when, view):
    """The sum of all terms of one kind for a fighter."""
    total = 0.0
    for term in range(len(added.terms)):
        if added.when[term] == when:
            total += value_of_term(added, fighter, term, view)
    return total


@inlined
def view_of(game, fighters, fighter, number, frame, tick):
    """The View of a fighter with an action, in a frame that it shows in a tick."""
    state = fighters[fighter]
    x, z = pelvis_in(game.tables, state, frame)
    look = without_full_turns(game.tables.frames[frame].facing + state.place.yaw)
    _, far_x, far_z = nearest(game, fighters, fighter, x, z, tick)
    return seen(game, game.tables.actions[number], x, z, look, far_x, far_z, tick)


@inlined
def seen(game, action, x, z, look, far_x, far_z, tick):
    """The View of a fighter at (x, z) with an action, a row of ACTION; the opponent is far_x, far_z away."""
    return View(
        action.kind,
        action.strike_stop - action.strike_start,
        action.ticks * game.rules.tick,
        tick * game.rules.tick,
        x,
        z,
        look,
        x + far_x,
        z + far_z,
        math.sqrt(far_x * far_x + far_z * far_z),
        without_full_turns(math.atan2(far_x, far_z) - look),
    )


# ---- What the kernels of the duel call


def _is_extended(game: Any) -> bool:
    """Whether the type of a game is ExtendedGame."""
    return "added" in game.fields


def extended(game):
    """Whether users have added anything to a game: a constant in compiled code."""
    return "added" in game._fields


@overload(extended, inline="always")
def _extended(game):
    if _is_extended(game):
        return lambda game: True
    return lambda game: False


def added_at_end(game, fighters, fighter, frame, tick):
    """The score of users' terms as the action of a fighter ends, in a frame."""
    raise NotImplementedError("only for compiled kernels")


@overload(added_at_end, inline="always")
def _added_at_end(game, fighters, fighter, frame, tick):
    def count(game, fighters, fighter, frame, tick):
        view = view_of(game, fighters, fighter, fighters[fighter].action, frame, tick)
        return sum_of_terms(game.added, fighter, AT_END, view)

    return count if _is_extended(game) else lambda game, fighters, fighter, frame, tick: 0.0


def added_at_selection(game, fighters, fighter, number, tick, when):
    """The score of users' terms as an action is selected: AT_SELECTION or AT_ROOT."""
    raise NotImplementedError("only for compiled kernels")


@overload(added_at_selection, inline="always")
def _added_at_selection(game, fighters, fighter, number, tick, when):
    def count(game, fighters, fighter, number, tick, when):
        frame = frame_at(game.tables, fighters[fighter], tick)
        view = view_of(game, fighters, fighter, number, frame, tick)
        return sum_of_terms(game.added, fighter, when, view)

    return count if _is_extended(game) else lambda game, fighters, fighter, number, tick, when: 0.0


def first_added_rule(game, action, ending, tick):
    """The first rule of users that an action breaks which ends so in a tick; -1 if none."""
    raise NotImplementedError("only for compiled kernels")


@overload(first_added_rule, inline="always")
def _first_added_rule(game, action, ending, tick):
    def find(game, action, ending, tick):
        look = math.atan2(ending.look_x, ending.look_z)
        view = seen(game, action, ending.x, ending.z, look, ending.far_x, ending.far_z, tick)
        for rule in range(len(game.added.rules)):
            if _call_rule(game.added.rules[rule], view) != 0:
                return rule
        return -1

    return find if _is_extended(game) else lambda game, action, ending, tick: -1


def most_added(game, fighter, ends, left, selections):
    """The most that terms of users can gain for a fighter's team, by so many ends of all fighters' actions.

    `left` actions will be selected, at most so many `selections` of them by the other team.
    """
    raise NotImplementedError("only for compiled kernels")


@overload(most_added, inline="always")
def _most_added(game, fighter, ends, left, selections):
    def bound(game, fighter, ends, left, selections):
        added, total = game.added, 0.0
        for i in range(len(game.sides)):
            ours = game.sides[i].team == game.sides[fighter].team
            total += ends * (added.end_gain if ours else added.end_loss)
        return total + left * added.selection_gain + selections * added.selection_loss

    return bound if _is_extended(game) else lambda game, fighter, ends, left, selections: 0.0


def describe_added(game, fighters, trials, fighter, number, tick, values):
    """Write the score of each users' term for a choice, which is begun in `trials`, into `values`."""
    raise NotImplementedError("only for compiled kernels")


@overload(describe_added, inline="always")
def _describe_added(game, fighters, trials, fighter, number, tick, values):
    def describe(game, fighters, trials, fighter, number, tick, values):
        action, added = game.tables.actions[number], game.added
        now = view_of(game, fighters, fighter, number, frame_at(game.tables, fighters[fighter], tick), tick)
        end = view_of(game, trials, fighter, number, action.first + action.ticks, tick + action.ticks)
        for term in range(len(added.terms)):
            view = end if added.when[term] == AT_END else now
            values[term] = value_of_term(added, fighter, term, view)

    def nothing(game, fighters, trials, fighter, number, tick, values):
        pass

    return describe if _is_extended(game) else nothing
