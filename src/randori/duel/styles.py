"""Styles: the weights of a fighter. docs/add-to-the-duel.md shows how to add one."""

from dataclasses import dataclass, fields, replace
from difflib import get_close_matches

from randori.duel.added import Term, registered
from randori.errors import RandoriError

_LARGEST_WEIGHT = 1e9  # a weight: sums of larger ones would lose the small ones


@dataclass(frozen=True)
class Style:
    """Weights, named as in duel.game.Sides."""

    facing_weight: float = 10.0  # w_θ
    distance_weight: float = 10.0  # w_r
    distance: float = 0.8  # r_d, metres
    given_short: float = 1e5  # w_D⁺ of attacks of short range
    given_long: float = 1e5  # w_D⁺ of the others
    taken: float = 1e5  # w_D⁻
    pairing_weight: float = 1e2  # w_S
    duration_weight: float = 1.0  # control: per second of an action
    recency_weight: float = 2e5  # control: for an action that was just used
    stillness_weight: float = 1e2  # control: per second with both feet still
    initiative_weight: float = 4e5  # for an attack, per second² in which the fighter was left in peace
    caution_weight: float = 5e6  # for a defence that suits the attack it answers
    futility_weight: float = 1e6  # for an attack that would meet no body
    breath_weight: float = 6e5  # for an attack, by how many the fighter has just launched
    variety_weight: float = 1.5e6  # for an attack, by how often its technique was used of late
    heading_weight: float = 0.0  # w_γ
    path_weight: float = 0.0  # w_p
    request_weight: float = 0.0  # w_a
    touch: float = 0.0  # metres: nearer than that an opponent is caught; 0 for styles that do not catch
    added: tuple[tuple[str, float], ...] = ()  # weights of terms that users add, by their names

    def __post_init__(self) -> None:
        for name, value in (*((name, getattr(self, name)) for name in WEIGHTS), *self.added):
            if not 0.0 <= value <= _LARGEST_WEIGHT:
                raise RandoriError(f"{name} = {value:g}: a weight is between 0 and {_LARGEST_WEIGHT:g}")

    @property
    def strikes(self) -> bool:
        """Whether a character of this style fights, rather than catches or runs away."""
        return self.touch == 0.0 and max(self.given_short, self.given_long) > 0.0

    def with_weights(self, weights: dict[str, float]) -> "Style":
        """The style with some weights changed."""
        added = [term.name for term in registered().terms]
        known = [*WEIGHTS, *added]
        for name in weights:
            if name not in known:
                near = get_close_matches(name, known, 1)
                hint = f"did you mean {near[0]!r}? " if near else ""
                raise RandoriError(f"no weight is called {name!r}; {hint}There are: {', '.join(known)}")
        own = {name: weight for name, weight in weights.items() if name in WEIGHTS}
        others = dict(self.added) | {name: weight for name, weight in weights.items() if name in added}
        return replace(self, **own, added=tuple(others.items()))

    def weight_of(self, term: Term) -> float:
        """The weight of a term that a user has added."""
        return dict(self.added).get(term.name, term.weight)


WEIGHTS = tuple(field.name for field in fields(Style) if field.name != "added")  # Randori's own

_BOXER = Style()
# A cut does twice the damage of a fist or more. With the boxer's initiative, fear of the answer would win.
_SWORD = replace(_BOXER, distance=1.5, initiative_weight=8e5)
_RUNNER = replace(
    _BOXER,
    pairing_weight=0.0,
    recency_weight=0.0,
    stillness_weight=0.0,
    initiative_weight=0.0,
    caution_weight=0.0,
    futility_weight=0.0,
    breath_weight=0.0,
    variety_weight=0.0,
)
# a runaway looks where it runs; with the table's w_θ = 10 looking away would cost it up to 10 π²
_RUNAWAY = replace(_RUNNER, facing_weight=0.0, distance=3.0, given_short=0.0, given_long=0.0)
STYLES = {
    "boxer": _BOXER,
    "infighter": replace(_BOXER, distance=0.5, distance_weight=2e5, given_short=1e5, given_long=1e1),
    # 1 m too near costs as much as two light hits; with the table's w_r = 10 it stays where it attacked.
    # Its attacks come from afar and are seen early, so it needs more initiative and less caution.
    "outboxer": replace(
        _BOXER,
        distance=2.0,
        distance_weight=4e5,
        given_short=1e1,
        given_long=1e5,
        initiative_weight=8e5,
        caution_weight=4e6,
        futility_weight=2e6,
    ),
    "boxer-on-path": replace(_BOXER, path_weight=1e1, request_weight=1e6),
    "sword": _SWORD,
    "sword-on-path": replace(_SWORD, path_weight=1e1, request_weight=1e6),
    "chaser": replace(_RUNNER, distance=0.1, taken=0.0, touch=0.7),
    "runaway": _RUNAWAY,
    "chaser-on-path": replace(_RUNNER, distance=0.1, taken=0.0, touch=0.7, path_weight=1e1),
    "runaway-on-path": replace(_RUNAWAY, path_weight=1e1),
}


def style_named(name: str) -> Style:
    """A style by its name."""
    if name not in STYLES:
        near = get_close_matches(name, STYLES, 1)
        hint = f"did you mean {near[0]!r}? " if near else ""
        raise RandoriError(f"no style is called {name!r}; {hint}There are: {', '.join(STYLES)}")
    return STYLES[name]
