"""Joints that are not thrown about harder than people throw them."""

import numpy as np

from randori.motion import rotations as rot
from randori.motion.clip import Clip
from randori.motion.easing import smooth_step
from randori.motion.haste import HARDEST as HARDEST_MOVE
from randori.motion.haste import joint_accelerations
from randori.motion.parts import SIDES

HARDEST = 1000.0  # rad/s² at 30 frames a second; one frame in a thousand of people who run is above 1056
MARGIN = 0.9  # of what a joint may accelerate by: what comes after calming may add to it
ROUNDS = 5  # times at most, each softer than the one before
SOFTER = 0.02  # seconds of blur that each round adds
NEAR, FAR = 0.07, 0.17  # seconds from a jolt within which a limb is calmed fully, and beyond which not at all
LANDS = 0.05  # seconds from the floor in which a leg comes to be calmed
_RATE = 30.0  # frames per second
# joints that move together: an arm whose elbow swings round turns in both bones, and the hand stays
_LIMBS = (
    ("pelvis", "spine", "chest", "neck", "head"),
    *(
        tuple(f"{side}_{part}" for part in parts)
        for side in SIDES
        for parts in (("shoulder", "upper_arm", "forearm", "hand"), ("thigh", "shin", "foot", "toes"))
    ),
)


def calmed(clip: Clip, standing: np.ndarray | None = None) -> Clip:
    """The clip with the limbs slowed around every jolt: an elbow that flips over, a wrist that whips.

    Legs whose foot stands in (F, 2) bool frames, left and right, stay as they are there.
    """
    rotations, haste = clip.rotations, _haste(clip, clip.rotations)
    in_vain = np.zeros((len(clip), len(_LIMBS)), dtype=bool)
    for number in range(ROUNDS):
        softer, stretches = rotations.copy(), []
        for k, limb in enumerate(_LIMBS):
            joints = [clip.skeleton.joint(part) for part in limb]
            hard = np.flatnonzero((haste[:, joints] > 1.0).any(axis=-1) & ~in_vain[:, k])
            if not len(hard):
                continue
            share = _nearness(hard, len(clip), clip.fps)
            if standing is not None and limb[-1].endswith("toes"):
                share *= _aloft(standing[:, SIDES.index(limb[-1].partition("_")[0])], clip.fps)
            _soften(softer, joints, share, clip.fps, SOFTER * (number + 1))
            edges = np.flatnonzero(np.diff(np.concatenate([[0], share > 0.0, [0]])))
            stretches += [(k, joints, slice(*ends)) for ends in edges.reshape(-1, 2).tolist()]
        if not stretches:
            break
        after = _haste(clip, softer)
        for k, joints, rows in stretches:
            # between two stands there may be no room to be slower
            if after[rows, joints].max() >= haste[rows, joints].max():
                softer[rows, joints], after[rows, joints] = rotations[rows, joints], haste[rows, joints]
                in_vain[rows, k] = True
        rotations, haste = softer, after
    return clip if rotations is clip.rotations else clip.with_frames(clip.root_position, rotations)


def _haste(clip: Clip, rotations: np.ndarray) -> np.ndarray:
    """(F, J) how hastily joints turn and move, over what is allowed."""
    places, _ = clip.skeleton.forward(clip.root_position, rotations)
    moved = joint_accelerations(places, clip.fps) / (MARGIN * HARDEST_MOVE)
    return np.maximum(_jolts(rotations, clip.fps) / HARDEST, moved)


def _jolts(rotations: np.ndarray, fps: float) -> np.ndarray:
    """(F, J) rad/s², how much the angular velocity of each joint changes around a frame."""
    step = max(round(fps / _RATE), 1)
    rate, jolts = fps / step, np.zeros(rotations.shape[:2])
    if len(rotations) > 2 * step:
        turn = rot.multiply(rot.inverse(rotations[:-step]), rotations[step:])
        velocity = rot.to_rotation_vector(turn) * rate
        jolts[step:-step] = np.linalg.norm(velocity[step:] - velocity[:-step], axis=-1) * rate
    return jolts


def _seconds_from(frames: np.ndarray, count: int, fps: float) -> np.ndarray:
    """(count,) seconds from each frame to the nearest of some frames (N,)."""
    all_frames = np.arange(count)
    after = np.minimum(np.searchsorted(frames, all_frames), len(frames) - 1)
    before = np.maximum(after - 1, 0)
    return np.minimum(np.abs(all_frames - frames[after]), np.abs(all_frames - frames[before])) / fps


def _nearness(hard: np.ndarray, count: int, fps: float) -> np.ndarray:
    """(count,) how much each frame is calmed: 1 about hard frames (N,), 0 far from them."""
    return 1.0 - smooth_step((_seconds_from(hard, count, fps) - NEAR) / (FAR - NEAR))


def _aloft(stands: np.ndarray, fps: float) -> np.ndarray:
    """(F,) 0 where a foot stands, 1 where it is in the air for good."""
    frames = np.flatnonzero(stands)
    return (
        smooth_step(_seconds_from(frames, len(stands), fps) / LANDS) if len(frames) else np.ones(len(stands))
    )


def _soften(rotations: np.ndarray, joints: list[int], share: np.ndarray, fps: float, blur: float) -> None:
    """Blur the rotations (F, J, 4) of some joints over time, in place, by a share (F,)."""
    reach = int(3.0 * blur * fps) + 1
    inside = np.flatnonzero(share > 0.0)
    around = np.clip(inside[:, None] + np.arange(-reach, reach + 1), 0, len(rotations) - 1)
    weights = np.exp(-0.5 * (np.arange(-reach, reach + 1) / (blur * fps)) ** 2)
    for joint in joints:
        path = rot.unroll(rotations[:, joint])
        mixed = rot.normalize(np.einsum("k,fkq->fq", weights, path[around]))
        rotations[inside, joint] = rot.slerp(path[inside], mixed, share[inside])
