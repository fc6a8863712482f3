"""A short fight with a library, to learn whether its fighters hit each other before anything long starts.

Counting attacks is not enough. A kick may reach an opponent at 1.4 m, while the only steps of the library
bring fighters to 0.7 m and never back.
"""

from collections import Counter
from dataclasses import dataclass, replace
from math import pi

import numpy as np

from randori.duel.fight import Fight
from randori.duel.fighter import Fighter
from randori.duel.styles import STYLES
from randori.graph.action_graph import ActionGraph, graph_with_choices
from randori.graph.library import ActionLibrary
from randori.graph.turning import with_turns
from randori.graph.usefulness import HARDLY, NO, YES, Use, Usefulness
from randori.motion.placement import Placement

TRIALS = {"duel": "boxer", "sword duel": "sword"}  # uses that are tried, and the style that tries them
_SECONDS, _SEEDS = 30.0, (1, 2, 3)
_DEPTH = 3  # plies, as in a scene
_START_DISTANCE = 1.8  # metres between the two at the start
_CHOICES = 40  # on arrival, as in a scene
_FEW_HITS = 10.0  # a minute: people who spar hit each other more often
_FITTING_SHARE = 0.6  # share of the decisions: with less, a fighter that wants to attack mostly cannot
_TOO_NEAR = ("passes through a body", "ends in a body", "too near")


@dataclass(frozen=True)
class Trial:
    """What happened in a trial."""

    seconds: float
    hits: int
    blocks: int
    fitting: float  # share of the decisions in which some attack was plausible
    apart: float  # metres between pelvises at a decision, usually
    ruled_out: str  # the rule that ruled out most attacks

    @property
    def hits_a_minute(self) -> float:
        return 60.0 * self.hits / self.seconds

    def why_few(self) -> str:
        """Why there were few hits, in words; nothing if there were enough."""
        if self.hits_a_minute >= _FEW_HITS:
            return ""
        found = f"{self.hits_a_minute:.0f} hits a minute in a trial: "
        if self.fitting < _FITTING_SHARE:
            if self.ruled_out == "looks away":
                cause = "most attacks end looking away from the opponent"
            elif self.ruled_out in _TOO_NEAR:
                cause = f"the fighters stand {self.apart:.1f} m apart, too near for them"
            else:
                cause = "the opponent is out of their range"
            return f"{found}{100 * (1.0 - self.fitting):.0f} % of the time no attack fits, as {cause}"
        if self.blocks > self.hits:
            return f"{found}most blows meet a guard"
        return f"{found}the fighters seldom attack"


def try_out(graph: ActionGraph, style: str) -> Trial:
    """Let two fighters with these motions fight."""
    library, wanted = graph.library, STYLES[style]
    events: Counter[str] = Counter()
    rules: Counter[str] = Counter()
    fitting: list[bool] = []
    apart: list[float] = []
    for seed in _SEEDS:
        sides = [
            Fighter("One", graph, wanted, _DEPTH),
            Fighter("Other", graph, wanted, _DEPTH, team=1, place=Placement(0.0, _START_DISTANCE, pi)),
        ]
        fight = Fight(sides, seed)
        for _ in fight.run(_SECONDS):
            one, other = fight.pelvises()
            apart.append(float(np.linalg.norm(one - other)))
        timeline = fight.timeline(round(_SECONDS * fight.fps))
        events.update(event.kind for event in timeline.events)
        for decision in timeline.decisions:
            tried = [one.rule for one in decision.options if library.tags[one.action].kind == "attack"]
            rules.update(rule for rule in tried if rule)
            fitting.append("" in tried)
    return Trial(
        _SECONDS * len(_SEEDS),
        events["hit"],
        events["block"],
        float(np.mean(fitting)) if fitting else 0.0,
        float(np.median(apart)) if apart else _START_DISTANCE,
        rules.most_common(1)[0][0] if rules else "",
    )


def judged(use: Use, graph: ActionGraph) -> Use:
    """A use, judged by a trial as well if it is a fight."""
    if use.name not in TRIALS or use.able == NO:
        return use
    why = try_out(graph, TRIALS[use.name]).why_few()
    if not why:
        return use
    return replace(use, able=HARDLY, why=why if use.able == YES else f"{use.why}; {why}")


def judged_by_trial(useful: Usefulness, library: ActionLibrary) -> Usefulness:
    """The uses of a library, with each kind of fight judged by a trial as well, as a scene would play it."""
    if all(use.able == NO for use in useful.uses if use.name in TRIALS):
        return useful
    graph = graph_with_choices(with_turns(library), _CHOICES)
    return replace(useful, uses=tuple(judged(use, graph) for use in useful.uses))
