"""Bodies and motions that the tests of this room share."""

from dataclasses import replace

import numpy as np
import pytest

from randori.motion import rotations as rot
from randori.motion.clip import Clip
from randori.motion.parts import find_parts
from randori.motion.skeleton import Skeleton

# A person of 1.75 m in a T: (name, parent, metres from the parent)
_ROWS = [
    ("Hips", None, (0.0, 0.0, 0.0)),
    ("Spine", "Hips", (0.0, 0.12, -0.01)),
    ("Spine1", "Spine", (0.0, 0.18, 0.0)),
    ("Neck", "Spine1", (0.0, 0.24, 0.0)),
    ("Head", "Neck", (0.0, 0.10, 0.02)),
]
for _side, _sign in (("Left", 1.0), ("Right", -1.0)):
    _ROWS += [
        (f"{_side}Shoulder", "Spine1", (_sign * 0.04, 0.18, 0.0)),
        (f"{_side}Arm", f"{_side}Shoulder", (_sign * 0.14, 0.0, 0.0)),
        (f"{_side}ForeArm", f"{_side}Arm", (_sign * 0.28, 0.0, 0.0)),
        (f"{_side}Hand", f"{_side}ForeArm", (_sign * 0.26, 0.0, 0.0)),
        (f"{_side}UpLeg", "Hips", (_sign * 0.09, -0.02, 0.0)),
        (f"{_side}Leg", f"{_side}UpLeg", (0.0, -0.43, 0.0)),
        (f"{_side}Foot", f"{_side}Leg", (0.0, -0.42, 0.0)),
        (f"{_side}ToeBase", f"{_side}Foot", (0.0, -0.07, 0.14)),
    ]


@pytest.fixture(scope="session")
def skeleton() -> Skeleton:
    """A body whose zero pose is the T."""
    plain = Skeleton.build(_ROWS)
    return replace(plain, parts=find_parts(plain.names, plain.parents))


@pytest.fixture(scope="session")
def odd_skeleton(skeleton: Skeleton) -> Skeleton:
    """The same body from a rig that calls some arbitrary posture zero."""
    reference = rot.normalize(np.random.default_rng(5).normal(size=(len(skeleton), 4)))
    above = np.where(skeleton.parents < 0, 0, skeleton.parents)
    offsets = rot.rotate(rot.inverse(reference[above]), skeleton.offsets)
    return replace(skeleton, offsets=offsets, reference=reference)


@pytest.fixture(scope="session")
def dance(skeleton: Skeleton) -> Clip:
    """Two seconds in which every joint swings smoothly, with a bent knee and elbow throughout."""
    return _dance(skeleton)


@pytest.fixture(scope="session")
def odd_dance(odd_skeleton: Skeleton, skeleton: Skeleton) -> Clip:
    """The same dance on the odd rig."""
    plain = _dance(skeleton)
    rotations = odd_skeleton.to_local(rot.multiply(plain.global_rotations, odd_skeleton.reference))
    return Clip("odd dance", odd_skeleton, plain.fps, plain.root_position, rotations)


def _dance(skeleton: Skeleton) -> Clip:
    random = np.random.default_rng(3)
    times = np.arange(121) / 60.0
    joints = len(skeleton)
    axes = rot.normalize(random.normal(size=(joints, 3)))
    swing = 0.4 * np.sin(
        2.0 * np.pi * times[:, None] * random.uniform(0.3, 1.2, joints) + random.uniform(0, 6, joints)
    )
    rotations = rot.from_axis_angle(axes, swing)
    for side, forward in (("Left", -1.0), ("Right", 1.0)):
        knee, elbow = skeleton.names.index(f"{side}Leg"), skeleton.names.index(f"{side}ForeArm")
        bend = 0.8 + 0.5 * np.sin(3.0 * times + forward)
        rotations[:, knee] = rot.from_axis_angle(rot.X_AXIS, bend)
        rotations[:, elbow] = rot.from_axis_angle(forward * rot.Y_AXIS, bend)
    root = np.stack([0.5 * np.sin(times), 0.9 + 0.05 * np.cos(4.0 * times), 1.2 * times], axis=-1)
    return Clip("dance", skeleton, 60.0, root, rotations)
