"""A sword without a joint: detected by the motion of the hands, or named by a person, and given a blade.

Two hands on one hilt stay close together while both are fast. A boxer's fists never do: one goes out while
the other stays. The blade is put along the line from the rear hand to the one at the guard, and the rest of
Randori sees a weapon like any other.
"""

from dataclasses import replace

import numpy as np

from randori.capture.moves import peaks_of
from randori.capture.signals import RATE, STANDARD_LEG, Signals, smoothed
from randori.motion import rotations as rot
from randori.motion.clip import Clip
from randori.motion.feet import leg_length
from randori.motion.parts import SIDES

SWORD, NOTHING = "sword", "nothing"
HOLDS = (SWORD, NOTHING)

_BLADE = 0.86  # metres from the leading hand to the point, for a leg of 0.85 m
_HILT_DISTANCE = 0.7  # share of the arm: hands on one hilt; wrists are up to 0.6 apart on a bat
_TOGETHER_SHARE = 0.5  # share of both speeds: how fast hands on one hilt move apart
_FAST_HAND = 1.5  # m/s of a hand against the pelvis: slower ones tell nothing
_LEAST_FAST, _LEAST_SHARE = 0.8, 0.7  # seconds of fast hands, and the share of them with hands together
_SWING = 3.0  # m/s of both hands: one such swing is enough
_GRIP_SECONDS = 0.6  # seconds before its peak in which the hands are close
_GROUNDED_SECONDS = 0.2  # seconds around its peak in which a foot stands: arms also go up together in a jump
_SMOOTHING = 0.04  # seconds, standard deviation, for the direction of the blade
_SURE_HILT = 0.3  # share of the arm: hands that far apart show where the hilt points
_ALONG_FOREARM = 0.5  # weight of the forearms beside that


def swings_sword(signals: Signals) -> bool:
    """Whether both hands swing one thing."""
    left, right = (signals.velocities[f"{side}_hand"] - signals.velocities["pelvis"] for side in SIDES)
    speeds = np.stack([np.linalg.norm(left, axis=-1), np.linalg.norm(right, axis=-1)])
    apart = np.linalg.norm(signals.places["left_hand"] - signals.places["right_hand"], axis=-1) / signals.arm
    parting = np.linalg.norm(left - right, axis=-1) / np.maximum(speeds.sum(axis=0), 1e-9)
    together = (apart < _HILT_DISTANCE) & (parting < _TOGETHER_SHARE)
    fast = speeds.max(axis=0) > _FAST_HAND
    if fast.sum() > _LEAST_FAST * RATE and together[fast].mean() > _LEAST_SHARE:
        return True
    before, about = round(_GRIP_SECONDS * RATE), round(_GROUNDED_SECONDS * RATE)
    for peak in peaks_of(speeds.min(axis=0), _SWING, 0.3):
        gripped = (apart[max(peak - before, 0) : peak + 4] < _HILT_DISTANCE).all()
        grounded = not signals.airborne[max(peak - about, 0) : peak + about].any()
        if peak >= before and gripped and grounded and together[max(peak - 6, 0) : peak + 4].all():
            return True
    return False


def equipped(clip: Clip, holds: str) -> Clip:
    """The clip with a sword in its hands; the clip itself if it has a weapon, or holds none."""
    skeleton = clip.skeleton
    if holds != SWORD or "weapon" in skeleton.parts:
        return clip
    hand = skeleton.joint("right_hand")
    size = leg_length(clip) / STANDARD_LEG
    turned = clip.turned("right_hand")
    blade = rot.multiply(rot.between(rot.rotate(turned, rot.Z_AXIS), _blade_direction(clip)), turned)
    number = len(skeleton)
    armed = replace(
        skeleton,
        names=(*skeleton.names, "Weapon"),
        parents=np.append(skeleton.parents, hand),
        offsets=np.vstack([skeleton.offsets, np.zeros((1, 3))]),
        tips=np.vstack([skeleton.tips, [[0.0, 0.0, _BLADE * size]]]),
        parts={**skeleton.parts, "weapon": number},
        reference=np.vstack([skeleton.reference, rot.IDENTITY]),
    )
    local = rot.multiply(rot.inverse(clip.global_rotations[:, hand]), blade)
    rotations = rot.unroll(np.concatenate([clip.rotations, local[:, None]], axis=1))
    notes = (*clip.source.notes, "both hands swing one thing without a joint: a sword was put into them")
    return replace(clip, skeleton=armed, rotations=rotations, source=replace(clip.source, notes=notes))


def _blade_direction(clip: Clip) -> np.ndarray:
    """(F, 3) the direction of the blade: from the rear hand to the one at the guard, and along the
    forearms."""
    joint, positions = clip.skeleton.joint, clip.positions
    left, right = (positions[:, joint(f"{side}_hand")] for side in SIDES)
    arm = clip.skeleton.length_between(joint("left_hand"), joint("left_upper_arm"))
    hilt = right - left
    apart = np.linalg.norm(hilt, axis=-1, keepdims=True)
    # hands far apart are not on one hilt: then the right forearm alone tells
    firm = np.clip(apart / (_SURE_HILT * arm), 0.0, 1.0) * (apart < _HILT_DISTANCE * arm)
    pelvis = positions[:, joint("pelvis")]
    speeds = [float(np.mean(np.linalg.norm(np.diff(h - pelvis, axis=0), axis=-1))) for h in (left, right)]
    leads = 1.0 if speeds[1] >= speeds[0] else -1.0  # the hand nearer to the blade is the faster one
    forearms = [
        positions[:, joint(f"{side}_hand")] - positions[:, joint(f"{side}_forearm")] for side in SIDES
    ]
    both = np.where(firm > 0.0, forearms[0] + forearms[1], forearms[1])
    direction = leads * firm * hilt / np.maximum(apart, 1e-9) + _ALONG_FOREARM * both / np.maximum(
        np.linalg.norm(both, axis=-1, keepdims=True), 1e-9
    )
    direction = smoothed(direction, _SMOOTHING, clip.fps)
    return direction / np.maximum(np.linalg.norm(direction, axis=-1, keepdims=True), 1e-9)
