"""Effective hits: when a fist, a foot or a blade could hurt a person.

POLICY calls a strike effective where the fist's velocity, projected on the forearm, is large and not
opposite to it. That holds for hooks and uppercuts too: the forearm swings after the elbow, but the fist
still gains along it (two thirds of its speed, in captures). A shin is different: a round kick's foot
flies across it, with hardly any speed along. So the whole speed counts, as long as the limb is
not being drawn back: a retreating fist moves against its forearm with most of its speed.
"""

import numpy as np

from randori.capture.actions import Strike
from randori.capture.events import Blow
from randori.capture.signals import RATE, Signals
from randori.motion.clip import Clip

SLOWEST = 2.0  # m/s: a slower strike does not hurt
_SPEED_SHARE = 0.5  # share of the peak's speed: before and after that a strike has no force
_DRAWN_BACK = -0.6  # share of the speed along the limb: it goes home
_LONGEST_SECONDS = 0.3  # seconds on either side of the peak
_PEAK_NEAR = 0.05  # seconds: the body's own speed moves the peak by no more

# The start of the axis of each striking part.
_ROOTS = {"hand": "forearm", "foot": "shin", "weapon": "hilt"}
_ORIGINS = {"hand": "upper_arm", "foot": "thigh"}


def effective_strike(signals: Signals, blow: Blow) -> Strike:
    """The effective window of a blow and its figures, in frames of the recording."""
    place, velocity = signals.places[blow.effector], signals.velocities[blow.effector]
    root = signals.places[_beside(blow.effector, _ROOTS)]
    speed = signals.speed(blow.effector)
    near = round(_PEAK_NEAR * RATE)
    first = max(blow.peak - near, 0)
    peak = first + int(np.argmax(speed[first : blow.peak + near + 1]))
    reach = round(_LONGEST_SECONDS * RATE)
    low, high = max(peak - reach, 0), min(peak + reach + 1, len(signals))
    axis = place[low:high] - root[low:high]
    axis /= np.maximum(np.linalg.norm(axis, axis=-1, keepdims=True), 1e-9)
    along = np.einsum("ij,ij->i", velocity[low:high], axis)
    enough = max(SLOWEST, _SPEED_SHARE * float(speed[peak]))
    effective = (speed[low:high] >= enough) & (along >= _DRAWN_BACK * speed[low:high])
    effective[peak - low] = True
    start = peak
    while start > low and effective[start - 1 - low]:
        start -= 1
    stop = peak + 1
    while stop < high and effective[stop - low]:
        stop += 1
    extension = max(blow.extension, peak)
    last = min(signals.frame(stop), signals.frames)
    return Strike(
        blow.effector,
        min(signals.frame(start), signals.frames - 1),
        max(last, signals.frame(peak) + 1),
        signals.frame(peak),
        signals.frame(extension),
        float(speed[peak] * signals.size),
    )


def strongest_blow(signals: Signals, start: int, stop: int, side: str = "") -> Blow | None:
    """The fastest outgoing hand, foot or blade between two samples: for a segment that a person calls an
    attack."""
    effectors = (
        ["weapon"] if signals.armed else [f"{s}_{e}" for s in ("left", "right") for e in ("hand", "foot")]
    )
    best: tuple[float, str, int] | None = None
    for effector in effectors:
        if side in ("left", "right") and not signals.armed and not effector.startswith(side):
            continue
        axis = signals.places[effector][start:stop] - signals.places[_beside(effector, _ROOTS)][start:stop]
        axis /= np.maximum(np.linalg.norm(axis, axis=-1, keepdims=True), 1e-9)
        velocity = signals.velocities[effector][start:stop] - signals.velocities["pelvis"][start:stop]
        speed = np.linalg.norm(velocity, axis=-1)
        speed[np.einsum("ij,ij->i", velocity, axis) < _DRAWN_BACK * speed] = 0.0
        if len(speed) and (best is None or speed.max() > best[0]):
            best = float(speed.max()), effector, start + int(np.argmax(speed))
    if best is None or best[0] < SLOWEST:
        return None
    _, effector, peak = best
    origin = signals.places[_beside(effector, _ORIGINS) if effector != "weapon" else "chest"]
    after = slice(peak, peak + round(0.2 * RATE) + 1)
    reach = np.linalg.norm(signals.places[effector][after] - origin[after], axis=-1)
    return Blow(effector, peak, peak + int(np.argmax(reach)))


def hitting_points(clip: Clip, strike: Strike) -> np.ndarray:
    """(S, 3) metres: where the tip of the striking part is in every effective frame."""
    joint = clip.skeleton.joint(strike.effector)
    if strike.effector.endswith("foot"):
        joint = clip.skeleton.parts.get(strike.effector.replace("foot", "toes"), joint)
    return clip.tip_positions[strike.start : strike.stop, joint]


def _beside(effector: str, parts: dict[str, str]) -> str:
    """The part on the same side as an effector that plays another role."""
    if effector == "weapon":
        return parts["weapon"]
    side, end = effector.split("_")
    return f"{side}_{parts[end]}"
