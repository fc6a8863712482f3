"""The moments that a quality report is about: where a take is worst, line by line."""

from collections.abc import Callable, Iterator

import numpy as np

from randori.body import mannequin
from randori.body.capsules import CAPSULES, fit
from randori.motion.clip import Clip
from randori.motion.feet import foot_contacts, foot_points, planted_phases, planted_point
from randori.scene.take import Role, Take
from randori.timeline.quality import penetration, strike_error

Moment = tuple[int, int]  # tick, and the number of a character (-1: none in particular)

_MOST_CHARACTERS = 12  # characters: the worst of a crowd is not looked for
_NEAR_JOIN = 3  # ticks about the start of an action that belong to its join
_AROUND_IMPACT = 0.3  # seconds about a hit in which joints may accelerate
_LYING_KINDS = ("fall", "rise")  # kinds of actions in which a character does not stand
_LIMBS = np.array([name.partition("_")[0] in ("left", "right", "weapon") for name in CAPSULES])


def worst_moments(take: Take) -> dict[str, Moment]:
    """The moment behind a line of the report, by the line's first word; lines without one are missing."""
    if not take.roles or len(take.roles) > _MOST_CHARACTERS or take.ticks < 2:
        return {}
    found = {
        "feet": _over_roles(take, _slide),
        "joins": _over_roles(take, lambda role: _peak(_accelerations(role.clip), _joins(role, take))),
        "joints": _over_roles(take, lambda role: _peak(_accelerations(role.clip), _calm(take))),
        "floor": _over_roles(take, lambda role: _peak(-_lowest(role.clip))),
        "heads": _over_roles(take, lambda role: _peak(_speeds(role.clip, "head"))),
        "rise": _over_roles(take, lambda role: _peak(_rises(role.clip), _standing(role, take))),
        "trunks": _over_roles(take, lambda role: _peak(_leans(role.clip), _standing(role, take))),
        "bodies": _deepest(take),
        "strikes": _farthest_strike(take),
        "pauses": _longest_pause(take),
    }
    return {line: moment for line, moment in found.items() if moment is not None}


def _over_roles(take: Take, measure: Callable[[Role], tuple[float, int]]) -> Moment | None:
    """The tick of the role whose value is the largest."""
    rows = [(*measure(role), who) for who, role in enumerate(take.roles)]
    value, tick, who = max(rows, key=lambda row: row[0])
    return (min(tick, take.ticks), who) if np.isfinite(value) else None


def _peak(values: np.ndarray, allowed: np.ndarray | None = None) -> tuple[float, int]:
    """The largest of values (F,) over the frames that are allowed, and its frame."""
    shown = values if allowed is None else np.where(allowed[: len(values)], values, -np.inf)
    frame = int(np.argmax(shown))
    return float(shown[frame]), frame


def _accelerations(clip: Clip) -> np.ndarray:
    """(F,) m/s², the most of all joints."""
    change = np.zeros(len(clip))
    if len(clip) > 2:
        steps = np.diff(clip.positions, n=2, axis=0) * clip.fps**2
        change[1:-1] = np.linalg.norm(steps, axis=-1).max(axis=1)
    return change


def _speeds(clip: Clip, part: str) -> np.ndarray:
    """(F,) m/s."""
    places = clip.positions[:, clip.skeleton.joint(part)]
    return np.linalg.norm(np.gradient(places, axis=0), axis=-1) * clip.fps


def _rises(clip: Clip) -> np.ndarray:
    """(F,) m/s that the pelvis goes up."""
    return np.gradient(clip.positions[:, clip.skeleton.joint("pelvis"), 1]) * clip.fps


def _leans(clip: Clip) -> np.ndarray:
    """(F,) radians between the trunk and the vertical."""
    skeleton = clip.skeleton
    trunk = clip.positions[:, skeleton.joint("head")] - clip.positions[:, skeleton.joint("pelvis")]
    length = np.maximum(np.linalg.norm(trunk, axis=-1), 1e-9)
    return np.arccos(np.clip(trunk[:, 1] / length, -1.0, 1.0))


def _lowest(clip: Clip) -> np.ndarray:
    """(F,) metres over the floor, of all that is drawn."""
    body = mannequin.outline(clip.skeleton)
    starts, stops = body.place(clip.positions, clip.global_rotations)
    ends = np.minimum(starts[..., 1] - body.start_radii, stops[..., 1] - body.stop_radii)
    return ends.min(axis=1)


def _slide(role: Role) -> tuple[float, int]:
    """The longest slide of a planted foot, and the tick in which the foot is farthest from its place."""
    clip, skeleton = role.clip, role.clip.skeleton
    points = foot_points(clip)
    leg = skeleton.length_between(skeleton.joint("left_foot"), skeleton.joint("left_thigh"))
    worst = (-np.inf, 0)
    for phase in planted_phases(foot_contacts(clip)):
        point, start, stop = planted_point(points, phase, leg)
        way = points[start:stop, phase.foot, point][:, [0, 2]]
        off = np.linalg.norm(way - np.median(way, axis=0), axis=1)
        worst = max(worst, (float(off.max()), start + int(np.argmax(off))))
    return worst


def _joins(role: Role, take: Take) -> np.ndarray:
    """(F,) whether a frame is at a join."""
    near = np.zeros(take.ticks + 1, dtype=bool)
    for placed in role.placed[1:]:
        near[max(placed.start - _NEAR_JOIN, 0) : placed.start + _NEAR_JOIN + 1] = True
    return near


def _calm(take: Take) -> np.ndarray:
    """(F,) whether a frame is away from all impacts."""
    calm = np.ones(take.ticks + 1, dtype=bool)
    reach = round(_AROUND_IMPACT * take.fps)
    for event in take.events:
        if event.kind in ("hit", "block", "run over"):
            calm[max(event.tick - reach, 0) : event.tick + reach + 1] = False
    return calm


def _standing(role: Role, take: Take) -> np.ndarray:
    """(F,) whether a character does nothing that lies on the floor."""
    stands = np.ones(take.ticks + 1, dtype=bool)
    for placed in role.placed:
        if placed.action >= 0 and role.tags[placed.action].kind in _LYING_KINDS:
            stands[placed.start : placed.stop + 1] = False
    return stands


def _deepest(take: Take) -> Moment | None:
    """The moment in which two bodies are deepest in each other; limbs that strike do not count."""
    if len(take.roles) < 2:
        return None
    placed, radii, strikes = [], [], []
    for role in take.roles:
        body = fit(role.clip.skeleton)
        placed.append(body.place(role.clip.positions, role.clip.global_rotations))
        radii.append(body.radii)
        busy = np.zeros((take.ticks + 1, len(CAPSULES)), dtype=bool)
        for one in role.placed:
            if one.action >= 0 and role.tags[one.action].kind == "attack":
                busy[one.start : one.stop + 1] |= _LIMBS
        strikes.append(busy)
    deep, _ = penetration(placed, radii, strikes)
    tick = int(np.argmax(deep))
    return (tick, -1) if deep[tick] > 0.0 else None


def _farthest_strike(take: Take) -> Moment | None:
    """The hit whose limb is farthest from the surface that it strikes."""
    bodies = [fit(role.clip.skeleton) for role in take.roles]
    placed = [
        body.place(role.clip.positions, role.clip.global_rotations) for body, role in zip(bodies, take.roles)
    ]
    radii = [body.radii for body in bodies]
    hits = [
        event
        for event in take.events
        if event.kind == "hit" and event.tick > 0 and {event.what, event.part} <= set(CAPSULES)
    ]
    errors = [strike_error(event, placed, radii) for event in hits]
    if not errors:
        return None
    event = hits[int(np.argmax(errors))]
    return event.tick, event.who


def _longest_pause(take: Take) -> Moment | None:
    """The middle of the longest time without an attack."""
    times = sorted({0, take.ticks, *_attacks(take)})
    gaps = np.diff(times)
    longest = int(np.argmax(gaps))
    return int(times[longest] + gaps[longest] // 2), -1


def _attacks(take: Take) -> Iterator[int]:
    for role in take.roles:
        for placed in role.placed:
            if placed.action >= 0 and role.tags[placed.action].kind == "attack":
                yield placed.start
                yield min(placed.stop, take.ticks)
