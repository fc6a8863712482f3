"""A fighter: its motions, its wishes, how it decides and where it begins."""

from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np

from randori.duel.added import Term
from randori.duel.combination import Amendment
from randori.duel.game import Rules, Sides
from randori.duel.stock import short_attacks, strike_ranges
from randori.duel.styles import Style
from randori.errors import RandoriError
from randori.graph.action_graph import ActionGraph
from randori.motion.placement import Placement

# Seconds for which an attack is not seen: a trained person reacts in 0.2 s, but a defence has to be chosen.
REACTION = 0.3
_OPENINGS = 32  # calm moments to begin with; every other pair of them is another fight
_OF_STYLE = (
    "facing_weight",
    "distance_weight",
    "distance",
    "given_short",
    "given_long",
    "taken",
    "pairing_weight",
    "duration_weight",
    "recency_weight",
    "stillness_weight",
    "initiative_weight",
    "caution_weight",
    "futility_weight",
    "heading_weight",
    "path_weight",
    "request_weight",
    "touch",
)

RULES_OF_BOXING = Rules(
    overlap=0.05,
    overlap_step=6,
    facing=np.deg2rad(45.0),
    defence_range=3.0,
    heavy=9.0,
    felling=30.0,
    # about ten blows to the head that a fighter has not recovered from: knock-downs are rare between equals
    stamina=90.0,
    remembered=8,
    alike=0.5,
    forgetting=0.8,
    patience=4.0,
    model=False,
)


@dataclass(frozen=True)
class Fighter:
    """A character: its motions, its wishes, and its depth."""

    name: str
    graph: ActionGraph
    style: Style
    depth: int = 3  # plies
    reaction: float = REACTION  # seconds for which it does not see an attack
    team: int = 0
    place: Placement = field(
        default_factory=Placement
    )  # where its pelvis is at the beginning, and the way it looks
    outfit: int = 0
    wanted: tuple[str, ...] = ()  # actions that are asked for, by technique: "left jab", "duck"
    unwanted: tuple[str, ...] = ()
    joins: float = 0.0  # seconds before which opponents ignore it, and it does not attack


@dataclass(frozen=True)
class Habits:
    """Settings of the decisions of all fighters."""

    rules: Rules = RULES_OF_BOXING
    path_rival: bool = False  # the path belongs to the competitive function
    pairing_shared: bool = False  # the combination table belongs to the cooperative function
    roulette: float = 0.0  # temperature of a random choice among the scores; 0 takes the best
    amendments: tuple[Amendment, ...] = ()
    stops_when_caught: bool = True
    looks_at_opponents: bool = True


def sides_of(
    fighters: Sequence[Fighter],
    fps: float,
    request: np.ndarray,
    pairing_shared: bool,
    path_rival: bool,
    combination: np.ndarray,
    guess: np.ndarray,
    terms: Sequence[Term] = (),
) -> Sides:
    """The wishes that fighters have by themselves."""
    count = len(fighters)
    return Sides(
        team=np.array([fighter.team for fighter in fighters], dtype=np.int64),
        **{
            name: np.array([getattr(fighter.style, name) for fighter in fighters], dtype=float)
            for name in _OF_STYLE
        },
        heading=np.zeros(count),
        goal=np.zeros((count, 2)),
        request=request,
        urge=np.zeros(request.shape),
        pairing_shared=np.full(count, pairing_shared),
        path_rival=np.full(count, path_rival),
        reach=np.array([reach_of(fighter.graph, *_valued(fighter.style)) for fighter in fighters]),
        reaction=np.array([round(fighter.reaction * fps) for fighter in fighters], dtype=np.int64),
        combination=combination,
        guess=guess,
        added=np.array(
            [[fighter.style.weight_of(term) for term in terms] for fighter in fighters], dtype=float
        ).reshape(count, len(terms)),
    )


def _valued(style: Style) -> tuple[bool, bool]:
    """Whether a style values short attacks, and long ones: those that count most for it."""
    most = max(style.given_short, style.given_long)
    return style.given_short == most, style.given_long == most


@lru_cache(maxsize=64)
def reach_of(graph: ActionGraph, short: bool = True, long: bool = True) -> float:
    """Metres from which on most strikes of a graph's short or long attacks are out of range."""
    library = graph.library
    kinds = np.array([tags.kind == "attack" for tags in library.tags])
    owner = np.repeat(np.arange(len(library)), np.diff(library.actions.strike_start))
    near = short_attacks(library, kinds)[owner]
    ranges = strike_ranges(library)[(near & short) | (~near & long)]
    return float(np.median(ranges)) if len(ranges) else 0.0


def opening(fighter: Fighter, random: np.random.Generator) -> int:
    """The action that a fighter begins with: it stays about where it is, and has many ways to go on."""
    graph, library = fighter.graph, fighter.graph.library
    if len(graph.indices) == 0:
        raise RandoriError(f"{fighter.name} cannot move: its graph has kept no action")
    quiet = np.array([library.tags[action].kind in ("transition", "locomotion") for action in graph.actions])
    actions = graph.actions[quiet] if quiet.any() else graph.actions
    ways = np.diff(graph.indptr)[graph.end_posture[actions]]
    x, z, turn = library.actions.displacement[actions].T
    restless = np.hypot(x, z) + 0.3 * np.abs(turn) + 0.2 * library.durations[actions]
    calm = np.lexsort((restless, -np.minimum(ways, np.median(ways))))
    return int(actions[calm[int(random.integers(min(_OPENINGS, len(calm))))]])
