"""Joints that are not thrown about harder than people throw them."""

import numpy as np

from randori.motion import rotations as rot
from randori.motion.clip import Clip
from randori.motion.easing import smooth_step
from randori.motion.haste import joint_accelerations
from randori.motion.parts import SIDES

HARDEST = 1000.0  # rad/s² at 30 frames a second; one frame in a thousand of people who run is above 1056
# m/s² of a joint, see motion/haste.py: people who get up stay below 131, all who do not strike below 293
FASTEST = 270.0
ROUNDS = 5  # times at most, each softer than the one before
SOFTER = 0.02  # seconds of blur that each round adds
NEAR, FAR = 0.07, 0.17  # seconds from a jolt within which a limb is calmed fully, and beyond which not at all
_RATE = 30.0  # frames per second
# what moves together: an arm whose elbow swings round turns in both bones, and the hand stays
_LIMBS = (
    ("pelvis", "spine", "chest", "neck", "head"),
    *(
        tuple(f"{side}_{part}" for part in parts)
        for side in SIDES
        for parts in (("shoulder", "upper_arm", "forearm", "hand"), ("thigh", "shin", "foot", "toes"))
    ),
)


def calmed(clip: Clip) -> Clip:
    """The clip with the limbs slowed around every jolt: an elbow that flips over, a wrist that whips."""
    rotations = clip.rotations
    for number in range(ROUNDS):
        jolts = _jolts(rotations, clip.fps) / HARDEST
        places, _ = clip.skeleton.forward(clip.root_position, rotations)
        jolts = np.maximum(jolts, joint_accelerations(places, clip.fps) / FASTEST)
        if not (jolts > 1.0).any():
            break
        rotations = rotations.copy()
        for limb in _LIMBS:
            joints = [clip.skeleton.joint(part) for part in limb]
            hard = np.flatnonzero((jolts[:, joints] > 1.0).any(axis=-1))
            if len(hard):
                _soften(rotations, joints, hard, clip.fps, SOFTER * (number + 1))
    return clip if rotations is clip.rotations else clip.with_frames(clip.root_position, rotations)


def _jolts(rotations: np.ndarray, fps: float) -> np.ndarray:
    """(F, J) rad/s², how much the angular velocity of each joint changes around a frame."""
    step = max(round(fps / _RATE), 1)
    rate, jolts = fps / step, np.zeros(rotations.shape[:2])
    if len(rotations) > 2 * step:
        turn = rot.multiply(rot.inverse(rotations[:-step]), rotations[step:])
        velocity = rot.to_rotation_vector(turn) * rate
        jolts[step:-step] = np.linalg.norm(velocity[step:] - velocity[:-step], axis=-1) * rate
    return jolts


def _soften(rotations: np.ndarray, joints: list[int], hard: np.ndarray, fps: float, blur: float) -> None:
    """Blur the rotations (F, J, 4) of some joints over time, in place, around hard frames."""
    frames, reach = np.arange(len(rotations)), int(3.0 * blur * fps) + 1
    after = np.minimum(np.searchsorted(hard, frames), len(hard) - 1)
    away = np.minimum(np.abs(frames - hard[after]), np.abs(frames - hard[np.maximum(after - 1, 0)])) / fps
    share = 1.0 - smooth_step((away - NEAR) / (FAR - NEAR))
    inside = np.flatnonzero(share > 0.0)
    around = np.clip(inside[:, None] + np.arange(-reach, reach + 1), 0, len(rotations) - 1)
    weights = np.exp(-0.5 * (np.arange(-reach, reach + 1) / (blur * fps)) ** 2)
    for joint in joints:
        path = rot.unroll(rotations[:, joint])
        mixed = rot.normalize(np.einsum("k,fkq->fq", weights, path[around]))
        rotations[inside, joint] = rot.slerp(path[inside], mixed, share[inside])
