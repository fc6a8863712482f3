"""Moves of single body parts: hands that fly out, feet that swing, heads that get out of the way.

A move is described in the frame of the body: forward is where it faces, inward is across to the other
side. `classification.py` decides which technique it is.
"""

from dataclasses import dataclass

import numpy as np

from randori.capture.signals import RATE, Signals, forward_of, in_frame, runs
from randori.motion.parts import SIDES

_SLOWEST_HAND = 1.6  # m/s against the pelvis: slower hands only wander
_HANDS_APART = 0.11  # seconds between two moves of one hand, at least
_WHIP_SHARE, _WHIP_TURN = 0.7, 0.2  # share of the speed, and the cosine, of the way out beside the way back
_WINDOW = 0.2  # seconds around its peak in which a move is described
_SHORTEST_SWING = 0.06  # seconds
_HEEL_RISES = 0.2  # m/s of the ankle
_UP, _STILL_OUT = 0.4, 0.06  # share of a leg's length, the height of a kick; seconds
_HIGH, _NEARLY = 0.9, 0.92  # share of a leg's length; share of the straightest that the leg gets up there
_STRAIGHT_LEG = 0.88  # share of a leg's length from hip to ankle: the knee is nearly straight


@dataclass(frozen=True)
class HandMove:
    """One swift move of a hand, described at the peak of its speed against the pelvis."""

    side: int  # 0 left, 1 right
    peak: int  # sample
    onset: int  # sample in which it leaves
    extension: int  # sample, at the peak or soon after: farthest from the shoulder
    speed: float  # m/s against the pelvis
    along: float  # share of the speed along the forearm: POLICY's projection. Negative: it is drawn back
    away: float  # share of the speed that leads away from the shoulder
    forward: float  # share of the speed
    inward: float
    upward: float
    reach: float  # share of the arm's length, at the extension
    gained: float  # share of the arm's length, from onset to extension
    height: float  # metres, at the extension, above the joint of the head
    ahead: float  # share of the arm's length, at the extension, before the chest
    across: float  # share of the arm's length, at the extension, from the chest to the other side
    other: float  # m/s relative to the pelvis, the other hand at the peak
    whipped: bool  # it goes back the way it came at once


@dataclass(frozen=True)
class Swing:
    """A foot in the air."""

    side: int  # 0 left, 1 right
    leaves: int  # sample in which the heel begins to rise
    lift: int  # sample in which the whole foot is off
    land: int  # the sample in which it stands again
    peak: int  # sample of the highest speed against the pelvis
    extension: int  # sample in which the straight leg is highest, or the peak
    speed: float  # m/s against the pelvis
    along: float  # share of the speed along the shin
    height: float  # share of the leg's length: the ankle's highest above where it stands
    raised: float  # share of the leg's length: the same while the knee is straight
    ahead: float  # share of the leg's length, at the extension, before the pelvis
    forward: float  # share of the speed
    outward: float
    upward: float
    travel: tuple[float, float]  # metres forward and left that the foot gets on
    turned: float  # radians, the pelvis's whole turn up to the extension, positive to the left
    sideways: float  # radians by which the pelvis has turned its kicking hip forward at the extension
    away: float  # share of the speed that leads away from the hip
    shin: tuple[float, float, float]  # where the shin points at the peak: forward, outward, up
    goes_on: float  # share of the speed outward, soon after the extension
    through: int  # sample in which the foot is fastest forward
    forward_speed: float  # m/s forward against the pelvis, then
    back: float  # share of the leg's length: how far it is behind the pelvis before, at most
    front: float  # share of the leg's length: how far it is before the pelvis after that, at most
    drop: float  # m/s against the pelvis: how fast it comes down from its highest
    # share of the leg's length, from hip to ankle: the shortest until it comes down fastest
    straight_down: float


@dataclass(frozen=True)
class HeadMove:
    """The head leaves the place above the feet where it usually is, and comes back."""

    core: int  # sample in which it is farthest
    away: tuple[float, float, float]  # metres forward, left, up at the core
    speed: float  # m/s, its fastest on the way out


def peaks_of(values: np.ndarray, lowest: float, apart: float) -> list[int]:
    """Samples of the local maxima above a level; of two that are too near (seconds) the higher one."""
    inner = values[1:-1]
    found = np.flatnonzero((inner >= values[:-2]) & (inner > values[2:]) & (inner > lowest)) + 1
    gap = round(apart * RATE)
    kept: list[int] = []
    taken = np.zeros(len(values), dtype=bool)
    for sample in found[np.argsort(-values[found], kind="stable")]:
        if not taken[sample]:
            kept.append(int(sample))
            taken[max(sample - gap, 0) : sample + gap + 1] = True
    return sorted(kept)


def hand_moves(signals: Signals) -> list[HandMove]:
    """All swift moves of both hands, in order of their peaks."""
    moves = [move for side in range(2) for move in _moves_of_hand(signals, side)]
    return sorted(moves, key=lambda move: move.peak)


def _moves_of_hand(signals: Signals, side: int) -> list[HandMove]:
    name, inwards = SIDES[side], -1.0 if side == 0 else 1.0
    places = signals.places
    hand, shoulder, elbow = (places[f"{name}_{part}"] for part in ("hand", "upper_arm", "forearm"))
    chest, head = places["chest"], places["head"]
    velocity = signals.velocities[f"{name}_hand"] - signals.velocities["pelvis"]
    speed = np.linalg.norm(velocity, axis=-1)
    other = signals.velocities[f"{SIDES[1 - side]}_hand"] - signals.velocities["pelvis"]
    beside = np.linalg.norm(other, axis=-1)
    reach = np.linalg.norm(hand - shoulder, axis=-1) / signals.arm
    window = round(_WINDOW * RATE)
    fastest = peaks_of(speed, _SLOWEST_HAND, _HANDS_APART)
    whips = set(_whipped(speed, velocity, fastest))
    peaks = np.array(sorted([*fastest, *whips]), dtype=int)
    onsets, extensions = [], []
    for peak in peaks.tolist():
        before = max(peak - window, 0)
        onsets.append(before + int(speed[before : peak + 1].argmin()))
        extensions.append(peak + int(reach[peak : peak + window + 1].argmax()))
    onset, extension = np.array(onsets, dtype=int), np.array(extensions, dtype=int)
    course = velocity[peaks] / speed[peaks, None]
    ways = signals.seen(course, peaks)
    place = signals.seen(hand[extension] - chest[extension], peaks) / signals.arm
    columns = (
        speed[peaks],
        (course * _units(hand[peaks] - elbow[peaks])).sum(axis=1),
        (course * _units(hand[peaks] - shoulder[peaks])).sum(axis=1),
        ways[:, 0],
        inwards * ways[:, 1],
        ways[:, 2],
        reach[extension],
        reach[extension] - reach[onset],
        hand[extension, 1] - head[extension, 1],
        place[:, 0],
        inwards * place[:, 1],
        beside[peaks],
    )
    rows: list[tuple[float, ...]] = list(zip(*(column.tolist() for column in columns)))
    return [
        HandMove(side, peak, onsets[k], extensions[k], *rows[k], whipped=peak in whips)  # type: ignore
        for k, peak in enumerate(peaks.tolist())
    ]


def _whipped(speed: np.ndarray, velocity: np.ndarray, peaks: list[int]) -> list[int]:
    """Peaks just before others in the opposite direction: a fist is whipped out and back at once."""
    found = []
    for peak in peaks:
        first = max(peak - round(_HANDS_APART * RATE) - 1, 0)
        before = peaks_of(speed[first : peak + 1], _WHIP_SHARE * float(speed[peak]), 0.0)
        for sample in (first + k for k in before):
            turns = velocity[sample] @ velocity[peak] < -_WHIP_TURN * speed[sample] * speed[peak]
            if turns and sample not in peaks:
                found.append(sample)
    return found


def foot_swings(signals: Signals) -> list[Swing]:
    """All swings of both feet, in the order in which they lift."""
    swings = [swing for side in range(2) for swing in _swings_of_foot(signals, side)]
    return sorted(swings, key=lambda swing: (swing.lift, swing.land))


def _swings_of_foot(signals: Signals, side: int) -> list[Swing]:
    name, outwards = SIDES[side], 1.0 if side == 0 else -1.0
    places = signals.places
    ankle, knee, hip = (places[f"{name}_{part}"] for part in ("foot", "shin", "thigh"))
    pelvis, turn, facing = places["pelvis"], signals.turns["pelvis"], signals.facing
    velocity = signals.velocities[f"{name}_foot"] - signals.velocities["pelvis"]
    speed = np.linalg.norm(velocity, axis=-1)
    height = (ankle[:, 1] - signals.floor) / signals.leg
    reach = np.linalg.norm(ankle - hip, axis=-1) / signals.leg
    straight_height = height * (reach > _STRAIGHT_LEG)
    from_pelvis = ankle - pelvis
    spans = [span for span in runs(~signals.contacts[:, side]) if span[1] - span[0] >= _SHORTEST_SWING * RATE]
    if not spans:
        return []

    # Step 1. Where in each swing the foot is fastest, highest and farthest out.
    peaks, extensions, highest_raised = [], [], []
    for lift, land in spans:
        raised, heights = straight_height[lift:land], height[lift:land]
        if raised.max() < _UP and heights.max() > _HIGH:
            # no knee is bent up there by chance: on some rigs it never gets quite straight
            out = reach[lift:land]
            raised = heights * (out > _NEARLY * out[heights > _UP].max())
        top = int(raised.argmax())
        up = float(raised[top])
        highest = top if up > 0.0 else land - lift
        # a foot that was up may come down faster than it went
        last = highest + round(_STILL_OUT * RATE) if up > _UP else land - lift
        peak = lift + int(speed[lift : min(lift + last + 1, land)].argmax())
        peaks.append(peak)
        extensions.append(lift + highest if up > 0.0 else peak)
        highest_raised.append(up)

    # Step 2. The state of the body then, for all swings at once. The frame is that of the stance: head and
    # hips
    # turn with a kick.
    lifts, lands = np.array(spans).T
    fastest, farthest = np.array(peaks), np.array(extensions)
    yaw = facing[np.maximum(lifts - round(0.33 * RATE), 0)]
    course = velocity[fastest] / np.maximum(speed[fastest], 1e-6)[:, None]
    ways = in_frame(course, yaw)
    along, away = _units(ankle[fastest] - knee[fastest]), _units(ankle[fastest] - hip[fastest])
    shins = in_frame(along, yaw)
    after = np.minimum(farthest + round(0.07 * RATE), len(signals) - 1)
    goes_on = outwards * in_frame(_units(velocity[after]), yaw)[:, 1]
    travels = signals.seen(ankle[np.minimum(lands, len(signals) - 1)] - ankle[lifts], lifts)
    ahead = signals.seen(from_pelvis[farthest], farthest)[:, 0] / signals.leg
    turned = turn[farthest] - turn[np.maximum(lifts - round(0.17 * RATE), 0)]
    sideways = -outwards * (turn[farthest] - yaw)
    along_shin, from_hip = (course * along).sum(axis=1), (course * away).sum(axis=1)

    # Step 3. How the foot goes through, and comes down.
    swings = []
    for number, (lift, land) in enumerate(spans):
        onward = forward_of(velocity[lift:land], yaw[number])
        through = int(onward.argmax())
        before = forward_of(from_pelvis[lift:land], yaw[number]) / signals.leg
        top = lift + int(height[lift:land].argmax())
        down = -velocity[top:land, 1]
        drop = int(down.argmax())
        shin, way, travel = shins[number], ways[number], travels[number]
        swings.append(
            Swing(
                side,
                _leaves(signals.speed(f"{name}_foot"), lift),
                lift,
                land,
                peaks[number],
                extensions[number],
                float(speed[peaks[number]]),
                float(along_shin[number]),
                float(height[top]),
                highest_raised[number],
                float(ahead[number]),
                float(way[0]),
                float(outwards * way[1]),
                float(way[2]),
                (float(travel[0]), float(travel[1])),
                float(turned[number]),
                float(sideways[number]),
                float(from_hip[number]),
                (float(shin[0]), float(outwards * shin[1]), float(shin[2])),
                float(goes_on[number]),
                lift + through,
                float(onward[through]),
                float(-before[: through + 1].min()),
                float(before[through:].max()),
                float(down[drop]),
                float(reach[top : top + drop + 1].min()),
            )
        )
    return swings


def _leaves(speed: np.ndarray, lift: int) -> int:
    """The sample at which a lifting ankle was last at rest; no earlier than a slow heel starts to lift."""
    first = max(lift - round(0.33 * RATE), 0)
    resting = np.flatnonzero(speed[first : lift + 1] < _HEEL_RISES)
    return first + int(resting[-1]) if len(resting) else lift


def _units(vectors: np.ndarray) -> np.ndarray:
    """Vectors (N, 3) of length one."""
    return np.asarray(vectors / np.maximum(np.linalg.norm(vectors, axis=-1, keepdims=True), 1e-9))
