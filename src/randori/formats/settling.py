"""From joints that move on their parents to bones of one length and a root that carries the whole body."""

from collections.abc import Mapping

import numpy as np

from randori.formats.recording import Recording
from randori.motion import rotations as rot
from randori.motion.parts import find_parts
from randori.motion.skeleton import Skeleton

_MOVES = 1e-4  # of the body's size: less is how the file rounds


def settle(
    file: str,
    skeleton: Skeleton,
    fps: float,
    root_position: np.ndarray,
    rotations: np.ndarray,
    places: Mapping[int, np.ndarray],
    notes: tuple[str, ...] = (),
    unit_hint: float | None = None,
    name: str = "",
) -> Recording:
    """A recording of joints some of which are placed again on their parents in every frame.

    `places` has, for such a joint, its places (F, 3) in its parent's frame. Bones get one length, the mean.
    Where the hips move below a root that may move as well (root motion in games, Bandai-Namco's
    joint_Root), the two are composed: the root goes where the hips are.
    """
    offsets = skeleton.offsets.copy()
    stray = np.zeros(len(skeleton))
    for joint, own in places.items():
        offsets[joint] = own.mean(axis=0)
        stray[joint] = np.linalg.norm(own - offsets[joint], axis=1).max()

    path = _path_to_hips(skeleton, offsets)
    size = float(np.linalg.norm(offsets[1:], axis=1).sum()) if len(offsets) > 1 else 0.0
    moving = [joint for joint in path if stray[joint] > _MOVES * size]
    if moving:
        composed = root_position.copy()
        turned = rotations[:, 0]
        for joint in path[: path.index(moving[-1]) + 1]:
            composed += rot.rotate(turned, places.get(joint, np.tile(offsets[joint], (len(composed), 1))))
            turned = rot.multiply(turned, rotations[:, joint])
            offsets[joint] = 0.0
            stray[joint] = 0.0
        root_position = composed
    return Recording(
        file=file,
        skeleton=Skeleton(skeleton.names, skeleton.parents, offsets, skeleton.tips),
        fps=fps,
        root_position=root_position,
        rotations=rotations,
        stray=stray,
        notes=notes,
        unit_hint=unit_hint,
        name=name,
    )


def _path_to_hips(skeleton: Skeleton, offsets: np.ndarray) -> list[int]:
    """The joints below the root down to the pelvis."""
    joint = find_parts(skeleton.names, skeleton.parents, offsets=offsets)["pelvis"]
    path = []
    while joint > 0:
        path.append(joint)
        joint = int(skeleton.parents[joint])
    return path[::-1]
