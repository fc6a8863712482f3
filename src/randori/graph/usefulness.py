"""The uses of a library: what it can play, what it lacks, and what to record next."""

from collections import Counter
from dataclasses import asdict, dataclass
from typing import Any, Literal

import numpy as np

from randori.graph.action_graph import ActionGraph, build_action_graph
from randori.graph.library import EFFECTORS, ActionLibrary
from randori.graph.locomotion_graph import LocomotionGraph, build_locomotion_graph
from randori.motion import rotations as rot

Able = Literal["yes", "hardly", "no"]
YES: Able = "yes"
HARDLY: Able = "hardly"
NO: Able = "no"
_FEW_ATTACKS = 3  # fewer are repeated all the time
_FEW_REACH = 0.33  # of the attacks: with a smaller part a fighter seldom finds one that could hit
# An attack reaches an opponent in front if its strike gets this far ahead of the pelvis, this near to the
# line of sight, at this height. Lengths are those of a person of 1.75 m, heights are parts of the body's.
_REACH, _ASIDE, _HEIGHTS = 0.45, 0.3, (0.4, 1.05)  # metres, metres
_PERSON = 1.75  # metres
_FEW_CHOICES = 2.0  # on arrival, on average: with fewer a fighter cannot answer the other
_EVADING_TECHNIQUES = (
    "jump back",
    "step back",
    "side step",
    "step left",
    "step right",
)  # a kick misses such an opponent
_WALKS = ("walk", "jog", "run", "sprint", "carry", "run with the ball")


@dataclass(frozen=True)
class Use:
    """Something that can be played, or cannot."""

    name: str  # duel, sword duel, policy, preparation, or a kind of patches
    able: Able
    why: str  # its basis, or the motions that it lacks


@dataclass(frozen=True)
class Usefulness:
    """Uses of a library, the motions that it lacks, and the recordings that would help most."""

    uses: tuple[Use, ...]
    missing: tuple[str, ...]
    record: tuple[str, ...]

    def use(self, name: str) -> Use:
        """One of the uses."""
        return next(use for use in self.uses if use.name == name)

    def as_dict(self) -> dict[str, Any]:
        """For a report."""
        return asdict(self)


@dataclass(frozen=True)
class _Content:
    """The contents of a library, counted once."""

    library: ActionLibrary
    graph: ActionGraph
    gaits: LocomotionGraph
    kinds: Counter[str]
    techniques: Counter[str]
    guarded: frozenset[str]  # positions that some defence covers
    effectors: Counter[str]  # of the strikes of kept attacks
    stranded: int  # attacks that no way leads back from, or to
    choices: float  # on arrival, on average
    reaching: int  # kept attacks whose fist or foot gets to an opponent in front


def find_usefulness(
    library: ActionLibrary, graph: ActionGraph | None = None, gaits: LocomotionGraph | None = None
) -> Usefulness:
    """Find the uses of a library; graphs that are known already save the time to build them."""
    content = _count(
        library,
        build_action_graph(library) if graph is None else graph,
        build_locomotion_graph(library) if gaits is None else gaits,
    )
    uses = (
        _duel(content),
        _sword_duel(content),
        _policy(content),
        _preparation(content),
        *_patches(content),
    )
    missing = tuple(_missing(content))
    return Usefulness(uses, missing, tuple(_record(content, missing)))


def _count(library: ActionLibrary, graph: ActionGraph, gaits: LocomotionGraph) -> _Content:
    kept = set(graph.actions.tolist())
    tags = [library.tags[action] for action in sorted(kept)]
    strikes: Counter[str] = Counter()
    for action in kept:
        if library.tags[action].kind == "attack":
            for k in range(library.actions.strike_start[action], library.actions.strike_start[action + 1]):
                strikes[EFFECTORS[library.strikes.effector[k]]] += 1
    attacks = [action for action in range(len(library)) if library.tags[action].kind == "attack"]
    arrivals = np.diff(graph.indptr)[graph.end_posture[graph.actions]] if kept else np.zeros(1)
    return _Content(
        library,
        graph,
        gaits,
        Counter(tag.kind for tag in tags),
        Counter(tag.technique for tag in tags),
        frozenset(tag.position for tag in tags if tag.kind == "defence"),
        strikes,
        sum(action not in kept for action in attacks),
        float(np.mean(arrivals)),
        sum(_reaches(library, action) for action in kept if library.tags[action].kind == "attack"),
    )


def _reaches(library: ActionLibrary, action: int) -> bool:
    """Whether a fist or a foot gets to an opponent that the head looks at as the action starts."""
    skeleton, start = library.skeleton, int(library.actions.start[action])
    head, size = skeleton.joint("head"), skeleton.height / _PERSON
    turned = rot.multiply(library.global_rotations[start, head], rot.inverse(skeleton.reference[head]))
    ahead = rot.normalize(rot.rotate(turned, rot.Z_AXIS) * np.array([1.0, 0.0, 1.0]))
    origin = library.positions[start, skeleton.joint("pelvis")]
    for strike in range(library.actions.strike_start[action], library.actions.strike_start[action + 1]):
        effector = EFFECTORS[library.strikes.effector[strike]]
        if effector == "weapon":
            continue
        frames = slice(int(library.strikes.start[strike]), int(library.strikes.stop[strike]))
        path = library.positions[frames, skeleton.joint(effector)]
        far = (path - origin) @ ahead
        aside = (path - origin) @ np.cross(rot.Y_AXIS, ahead)
        low, high = (share * skeleton.height for share in _HEIGHTS)
        met = (far > _REACH * size) & (np.abs(aside) < _ASIDE * size)
        if bool(np.any(met & (path[:, 1] > low) & (path[:, 1] < high))):
            return True
    return False


def _duel(content: _Content) -> Use:
    """A fight with fists and feet: attacks with strikes, and something to do between them."""
    limbs = sum(count for effector, count in content.effectors.items() if effector != "weapon")
    if content.kinds["attack"] == 0:
        return Use("duel", NO, "there is no attack")
    if limbs == 0:
        return Use("duel", NO, "no attack has a strike of a fist or a foot")
    if content.reaching == 0:
        return Use("duel", NO, "no attack could hit an opponent in front")
    weak = []
    if content.kinds["attack"] < _FEW_ATTACKS:
        weak.append(f"only {_counted(content.kinds['attack'], 'attack')}")
    attacks = content.kinds["attack"]
    if content.reaching < max(_FEW_REACH * attacks, min(_FEW_ATTACKS, attacks)):
        weak.append(f"{content.reaching} of {_counted(attacks, 'attack')} could hit an opponent in front")
    if content.choices < _FEW_CHOICES:
        weak.append(f"{content.choices:.1f} choices after an action on average")
    if content.kinds["defence"] == 0:
        weak.append("no defence")
    if not _closes_in(content):
        weak.append("no step that closes the distance")
    if weak:
        return Use("duel", HARDLY, ", ".join(weak))
    return Use(
        "duel",
        YES,
        f"{_counted(content.kinds['attack'], 'attack')}, {_counted(content.kinds['defence'], 'defence')}, "
        f"{content.choices:.0f} choices after an action on average",
    )


def _closes_in(content: _Content) -> bool:
    """Whether a fighter out of reach can get to its opponent."""
    return any(content.techniques[step] for step in ("step forward", *_WALKS))


def _sword_duel(content: _Content) -> Use:
    """A fight with blades."""
    if "weapon" not in content.library.skeleton.parts:
        return Use("sword duel", NO, "nobody holds a blade")
    cuts = content.effectors["weapon"]
    if cuts == 0:
        return Use("sword duel", NO, "no attack has a strike of the blade")
    weak = [f"only {_counted(cuts, 'cut')}"] if cuts < _FEW_ATTACKS else []
    if content.kinds["defence"] == 0:
        weak.append("no parry")
    if not _closes_in(content):
        weak.append("no step that closes the distance")
    if weak:
        return Use("sword duel", HARDLY, ", ".join(weak))
    return Use("sword duel", YES, f"{_counted(cuts, 'strike')} of the blade")


def _policy(content: _Content) -> Use:
    """Avatars that learned to strike at what moves."""
    hands = content.effectors["left_hand"] + content.effectors["right_hand"]
    feet = content.effectors["left_foot"] + content.effectors["right_foot"]
    if hands + feet == 0:
        return Use("policy", NO, "no strike of a fist or a foot")
    strikes = [_counted(count, word) for count, word in ((hands, "punch"), (feet, "kick")) if count]
    return Use("policy", YES if hands >= _FEW_ATTACKS else HARDLY, ", ".join(strikes))


def _preparation(content: _Content) -> Use:
    """Characters that get to where they do something: gaits, and motions to get ready for."""
    cores = [name for name in content.gaits.cores if any(walk in name for walk in _WALKS)]
    targets = len(np.unique(content.gaits.target_indices))
    if not cores:
        return Use("preparation", NO, "there is no walk or run that repeats")
    if targets == 0:
        return Use("preparation", NO, "no gait leads into anything that could be done")
    return Use("preparation", YES, f"{', '.join(cores)}; {_counted(targets, 'motion')} to get ready for")


def _patches(content: _Content) -> list[Use]:
    """Groups that are built of what two do with each other."""
    has = content.techniques
    walks = any(has[walk] for walk in _WALKS)
    rows = (
        ("patches of fights", [("an attack", content.kinds["attack"] > 0), ("a stance", has["stand"] > 0)]),
        ("patches of panic", [("a walk or run", walks), ("a fall", content.kinds["fall"] > 0)]),
        (
            "patches of luggage",
            [
                ("carrying", has["carry"] > 0),
                ("handing over", has["hand over"] > 0),
                ("receiving", has["receive"] > 0),
            ],
        ),
        (
            "patches of football",
            [("runs with the ball", has["run with the ball"] > 0), ("tackles", has["tackle"] > 0)],
        ),
    )
    uses = []
    for name, needs in rows:
        lacks = [what for what, there in needs if not there]
        why = f"lacks {', '.join(lacks)}" if lacks else ", ".join(what for what, _ in needs)
        uses.append(Use(name, NO if lacks else YES, why))
    return uses


def _missing(content: _Content) -> list[str]:
    """Weaknesses of a fight with this library."""
    if content.kinds["attack"] == 0 and content.stranded == 0:
        return []  # no character fights with it
    lacks = []
    kicks = content.effectors["left_foot"] + content.effectors["right_foot"]
    blows = content.effectors["left_hand"] + content.effectors["right_hand"]
    if (
        kicks
        and "lower torso" not in content.guarded
        and not any(content.techniques[w] for w in _EVADING_TECHNIQUES)
    ):
        lacks.append("no defence against kicks")
    if blows and "head" not in content.guarded:
        lacks.append("no defence against blows at the head")
    if blows and not content.guarded & {"upper torso", "lower torso"}:
        lacks.append("no defence against blows at the body")
    if content.stranded:
        lacks.append(f"no way back to the stance from {_counted(content.stranded, 'attack')}")
    for words, lack in (
        (("step forward", *_WALKS), "no step forward"),
        (("step back", "jump back", "walk back", "run back"), "no step back"),
        (("turn left", "turn right"), "no turn on the spot"),
        (("stand",), "no rest in the stance"),
    ):
        if not any(content.techniques[word] for word in words):
            lacks.append(lack)
    if content.kinds["reaction"] == 0:
        lacks.append("no reaction to a hit: a body that is struck only gives way")
    if content.kinds["fall"] == 0:
        lacks.append("no fall: nobody can be knocked down")
    elif content.kinds["rise"] == 0:
        lacks.append("no getting up: a character that falls stays down")
    return lacks


_ADVICE = {
    "no defence against kicks": "low blocks and jumps back, from the stance and back to it",
    "no defence against blows at the head": "ducks, slips and high blocks, from the stance and back to it",
    "no defence against blows at the body": "blocks before the belly and steps back",
    "no step forward": "steps in all directions in the stance, with a rest after each",
    "no step back": "steps in all directions in the stance, with a rest after each",
    "no turn on the spot": "turns to both sides in the stance",
    "no rest in the stance": "a few seconds of standing in the stance between actions",
    "no fall: nobody can be knocked down": "falls to the front and the back that end lying still",
    "no getting up: a character that falls stays down": "getting up from the back and the front",
}


def _record(content: _Content, missing: tuple[str, ...]) -> list[str]:
    """Recordings to make next, the most useful first."""
    advice = []
    if content.kinds["attack"] == 0 and content.stranded == 0:
        if not content.gaits.cores:
            return ["a walk of some ten steps, with starts, stops and turns to both sides"]
        return ["for fights: attacks and defences, each beginning and ending in the same stance"]
    if content.stranded:
        advice.append("each attack again, from the stance and back to it, with a moment of rest after it")
    if content.kinds["attack"] < _FEW_ATTACKS:
        advice.append("more attacks: at least one with each hand and each foot")
    elif content.reaching < _FEW_REACH * content.kinds["attack"] and content.effectors["weapon"] == 0:
        advice.append("attacks straight ahead with a stretched arm or leg, looking at the opponent")
    advice += [_ADVICE[lack] for lack in missing if lack in _ADVICE]
    if any(lack.startswith("no reaction") for lack in missing):
        advice.append("a character struck at the head and at the body, lightly and hard")
    return list(dict.fromkeys(advice))


def _counted(count: int, word: str) -> str:
    plural = f"{word}es" if word.endswith("ch") else f"{word}s"
    return f"{count} {word if count == 1 else plural}"
