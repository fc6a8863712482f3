"""Terms and rules that a user adds to the duel from Python, without a change to Randori.

`duel_term` and `duel_rule` register a function of a `View`. Fights that are made afterwards use it in their
search, in the plain reference and in `randori inspect --why`. docs/add-to-the-duel.md is the guide.
"""

import math
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any, NamedTuple, TypeVar

from randori.errors import RandoriError
from randori.kernels.duel_records import AT_END, AT_ROOT, AT_SELECTION, MOST_ADDED_RULES, View

_MOMENTS = {"end": AT_END, "selection": AT_SELECTION, "root": AT_ROOT}
_LARGEST_WEIGHT = 1e9  # a bound or a weight: sums of larger ones would lose the small ones
_OWN_TERMS = ("stance", "path", "control", "pairing", "request", "temper")
# a moment to try a function with: an attack of 0.6 s that ends 1 m in front of the opponent
_SAMPLE = View(1, 1, 0.6, 5.0, 0.0, 0.0, 0.0, 0.0, 1.0, 1.0, 0.0)

Function = TypeVar("Function", bound=Callable[[View], Any])


class Term(NamedTuple):
    """A term of the competitive function."""

    name: str
    function: Callable[[View], float]
    when: int  # AT_END, AT_SELECTION or AT_ROOT
    least: float  # the smallest value that counts
    most: float  # the largest
    weight: float  # of fighters whose style says nothing else

    def value(self, view: View) -> float:
        """The value of the function, kept within its bounds."""
        value = float(self.function(view))
        if not value >= self.least:
            return self.least
        return min(value, self.most)


class Rule(NamedTuple):
    """A rule that says which choices are plausible."""

    name: str
    function: Callable[[View], bool]  # whether an action that ends so breaks the rule


class Added(NamedTuple):
    """The terms and rules that users have added to a game."""

    terms: tuple[Term, ...] = ()
    rules: tuple[Rule, ...] = ()


NOTHING_ADDED = Added()
_registered = NOTHING_ADDED


def duel_term(
    name: str, *, least: float, most: float, when: str = "end", weight: float = 1.0
) -> Callable[[Function], Function]:
    """Register a function of a `View` as a term of what fighters want.

    `when` says when it counts: at the "end" of every action, with every "selection", or only for the
    selection that a search is about (the "root"). Values below `least` or above `most` are clipped, so the
    search may rely on the bounds. A scene can give a character another weight:
    `weights = { "corner" = 2e5 }`.

    >>> @duel_term("corner", least=-1.0, most=0.0, weight=2e5)
    ... def corner(view: View) -> float:
    ...     return -min(max(abs(view.x) - 2.0, 0.0), 1.0)  # 0 within 2 m of the middle
    """

    def register(function: Function) -> Function:
        global _registered
        _check_name(name)
        if when not in _MOMENTS:
            raise RandoriError(f"term {name!r}: when = {when!r}; there are: {', '.join(_MOMENTS)}")
        if not -_LARGEST_WEIGHT <= least <= most <= _LARGEST_WEIGHT:
            raise RandoriError(
                f"term {name!r}: least = {least:g}, most = {most:g}; right is "
                f"-{_LARGEST_WEIGHT:g} ≤ least ≤ most ≤ {_LARGEST_WEIGHT:g}"
            )
        if not 0.0 <= weight <= _LARGEST_WEIGHT:
            raise RandoriError(f"term {name!r}: weight = {weight:g}; right is 0 to {_LARGEST_WEIGHT:g}")
        term = Term(name, function, _MOMENTS[when], float(least), float(most), float(weight))
        _try(name, function, float)
        _registered = _registered._replace(terms=(*_registered.terms, term))
        return function

    return register


def duel_rule(name: str) -> Callable[[Function], Function]:
    """Register a function of a `View` as a rule that says which choices are plausible.

    The function gets the end of an action that a fighter may select, and says whether that action breaks
    the rule. `--why` shows the name. The rules of users come after those of Randori, in the order in which
    they are registered: if every choice breaks some rule, fighters keep the earlier ones.

    >>> @duel_rule("leaves the ring")
    ... def leaves_the_ring(view: View) -> bool:
    ...     return abs(view.x) > 3.0 or abs(view.z) > 3.0
    """

    def register(function: Function) -> Function:
        global _registered
        _check_name(name)
        if len(_registered.rules) == MOST_ADDED_RULES:
            raise RandoriError(
                f"rule {name!r}: there are {MOST_ADDED_RULES} rules of users already, the most"
            )
        _try(name, function, bool)
        _registered = _registered._replace(rules=(*_registered.rules, Rule(name, function)))
        return function

    return register


def forget_added() -> None:
    """Remove all registered terms and rules. Fights that exist keep theirs."""
    global _registered
    _registered = NOTHING_ADDED


@contextmanager
def only_added() -> Iterator[None]:
    """Begin with nothing registered; at the end of the block, restore the earlier registrations."""
    global _registered
    before, _registered = _registered, NOTHING_ADDED
    try:
        yield
    finally:
        _registered = before


def registered() -> Added:
    """The terms and rules that are registered now."""
    return _registered


def _check_name(name: str) -> None:
    taken = [*_OWN_TERMS, *(term.name for term in _registered.terms)]
    taken += [rule.name for rule in _registered.rules]
    if not name or name in taken:
        raise RandoriError(f"{name!r} cannot be the name of a term or a rule; taken are: {', '.join(taken)}")


def _try(name: str, function: Callable[[View], Any], result: type) -> None:
    """Call a function once in Python and compile it, so that errors come with its registration."""
    try:
        found = function(_SAMPLE)
    except Exception as error:
        raise RandoriError(f"{name!r}: {type(error).__name__}: {error}") from error
    if not isinstance(found, (bool, int, float)) or (result is float and math.isnan(found)):
        raise RandoriError(f"{name!r} gives {found!r}; right is a {result.__name__}")
    from randori.kernels.duel_added import address_of  # here: scenes are read without a compiler

    address_of(function, result)
