"""Figures of a take that follow from the poses, the actions and the events in its file, measured again.

A file can tell any figure about itself. These are measured on the poses that will be written; the worse
of the two counts. The recordings are not there any more, so two things are judged without them:

- Feet: phases and slides are found in the poses. Where they are not those that the file tells, the figures
  belong to other poses, and no slide is excused by the recordings.
- Joins: a join with a joint outside impacts above HARDEST is not smooth, even if the recordings do the same.

The behaviour of fighters is measured again in takes of two fighters. When in an attack a limb strikes is not
in the file: the whole attack counts.
"""

from collections.abc import Sequence
from dataclasses import replace
from types import SimpleNamespace
from typing import Any, cast

import numpy as np

from randori.body.capsules import CAPSULES
from randori.graph.joining import JOIN_SECONDS, Walk
from randori.graph.library import EFFECTORS, ActionLibrary
from randori.graph.walk_quality import NOTICED
from randori.motion.feet import foot_contacts, foot_slide, planted_phases
from randori.motion.haste import HARDEST, joint_accelerations
from randori.scene.take import Role, Take
from randori.timeline.behaviour import Behaviour, measure_behaviour
from randori.timeline.bodies import body_figures, impacts
from randori.timeline.limits import BEHAVIOUR
from randori.timeline.obstruction import before_impact
from randori.timeline.quality import Quality
from randori.timeline.timeline import Event, Fighting, Timeline, Track

_SAME_SLIDE = 1e-4  # metres that a slide may differ from the one in the file: it is rounded there
_FAR_AWAY = 6.0  # seconds of a pause that only fighters who keep far away are allowed
_OUTBOXER_DISTANCE = 2.0  # metres that such fighters keep
_UPRIGHT_QUANTILE = 0.9  # quantile of the height of a pelvis that stands
_NEEDED_PARTS = ("pelvis", "head", "left_foot", "right_foot")  # parts without which nothing is measured


def remeasure(take: Take, claimed: Quality, capsules: Sequence[np.ndarray]) -> Quality:
    """The figures of a take, each the worse of the claimed and the measured one.

    `capsules` are those of each body in each frame: (F, 16, 2, 3).
    """
    if not all(part in role.clip.skeleton.parts for role in take.roles for part in _NEEDED_PARTS):
        return claimed
    timeline, walks = _timeline(take, claimed), [_walk(role) for role in take.roles]
    bodies = body_figures(timeline, walks)
    found = replace(
        claimed,
        unnoticed=min(claimed.unnoticed, _unnoticed(before_impact(timeline, walks), claimed)),
        smooth_joins=min(claimed.smooth_joins, _smooth_joins(timeline, walks)),
        trunk_angle=max(claimed.trunk_angle, bodies.trunk_angle),
        head_speed=max(claimed.head_speed, bodies.head_speed),
        joint_acceleration=max(claimed.joint_acceleration, bodies.joint_acceleration),
    )
    if claimed.fighters == len(take.roles) == 2:
        found = _worse_behaviour(found, measure_behaviour(timeline, walks, capsules))
    return found


def _timeline(take: Take, claimed: Quality) -> Timeline:
    """The timeline of a take as its file tells it; every event is one that can be measured."""
    far = claimed.pause_allowed >= _FAR_AWAY
    tracks = tuple(
        Track(
            role.name,
            _library(role),
            role.placed,
            fighting=Fighting((1 - number,), _OUTBOXER_DISTANCE if far else 0.0)
            if len(take.roles) == 2
            else None,
        )
        for number, role in enumerate(take.roles)
    )
    events = tuple(event for event in take.events if _is_sound(event, take))
    return Timeline(take.fps, take.ticks, tracks, events)


def _is_sound(event: Event, take: Take) -> bool:
    """Whether a blow is one between two characters, with parts of bodies, in a frame of the take."""
    if not 0 <= event.tick <= take.ticks or max(event.who, event.whom) >= len(take.roles):
        return False
    if event.kind not in ("hit", "block"):
        return True
    parts = event.what in CAPSULES and event.part in CAPSULES
    return parts and event.tick > 0 and min(event.who, event.whom) >= 0


def _library(role: Role) -> ActionLibrary:
    """The library behind a role, as far as the file tells it: tags, and attacks that strike all the time."""
    attacks: dict[int, tuple[int, int]] = {}  # by action: its first and its last frame in the take
    for one in role.placed:
        if one.action >= 0 and role.tags[one.action].kind == "attack":
            first, last = attacks.get(one.action, (one.first, one.last))
            attacks[one.action] = min(first, one.first), max(last, one.last)
    rows = [(effector, *attacks[action]) for action in sorted(attacks) for effector in range(len(EFFECTORS))]
    effector, start, stop = np.array(rows, dtype=np.int64).reshape(-1, 3).T
    counts = [len(EFFECTORS) if action in attacks else 0 for action in range(len(role.tags))]
    height = np.quantile(role.clip.root_position[:, 1], _UPRIGHT_QUANTILE)
    known = SimpleNamespace(
        tags=role.tags,
        frames=SimpleNamespace(root_position=np.array([[0.0, height, 0.0]])),
        actions=SimpleNamespace(strike_start=np.concatenate([[0], np.cumsum(counts, dtype=np.int64)])),
        strikes=SimpleNamespace(effector=effector, start=start, stop=stop),
    )
    return cast(ActionLibrary, cast(Any, known))


def _walk(role: Role) -> Walk:
    frames = len(role.clip)
    unknown = np.full(frames, -1, dtype=np.int64)
    return Walk(role.clip, unknown, unknown, role.joins, np.zeros((frames, 2), dtype=bool))


def _unnoticed(walks: Sequence[Walk], claimed: Quality) -> float:
    """The share of the planted phases that slide less than people notice."""
    slides = []
    for walk in walks:
        contacts = foot_contacts(walk.clip)
        slides += [] if not planted_phases(contacts) else [*foot_slide(walk.clip, contacts)]
    phases = len(slides)
    usual, worst = (float(np.median(slides)), max(slides)) if slides else (0.0, 0.0)
    told = (claimed.slide_usual, claimed.slide_worst)
    if phases == claimed.planted_phases and np.allclose((usual, worst), told, rtol=0.0, atol=_SAME_SLIDE):
        return claimed.unnoticed
    kept = sum(slide < NOTICED for slide in slides)
    return kept / max(phases, claimed.planted_phases, 1)


def _smooth_joins(timeline: Timeline, walks: Sequence[Walk]) -> float:
    """The share of the joins about which no joint outside impacts is more hasty than a body can be."""
    smooth = []
    for who, walk in enumerate(before_impact(timeline, walks)):
        haste = joint_accelerations(walk.clip.positions, walk.clip.fps)
        haste[impacts(timeline, who, walk.clip)] = 0.0
        after = round(JOIN_SECONDS * walk.clip.fps)
        for join in walk.joins.tolist():
            smooth.append(bool(haste[max(join - 2, 0) : join + after].max(initial=0.0) <= HARDEST))
    return float(np.mean(smooth)) if smooth else 1.0


def _worse_behaviour(claimed: Quality, measured: Behaviour) -> Quality:
    """The figures that limits judge, each the worse one, and how much was judged."""
    worse: dict[str, Any] = {
        "hits_judged": max(claimed.hits_judged, measured.hits_judged),
        "attacks_judged": max(claimed.attacks_judged, measured.attacks_judged),
        "techniques_expected": max(claimed.techniques_expected, measured.techniques_expected),
        "pause_allowed": min(claimed.pause_allowed, measured.pause_allowed),
    }
    for limit in BEHAVIOUR.values():
        if limit.figure != "idle_victim":  # the file does not tell which fighters a scene asks to fall
            pair = getattr(claimed, limit.figure), getattr(measured, limit.figure)
            worse[limit.figure] = min(pair) if limit.at_least else max(pair)
    return replace(claimed, **worse)
