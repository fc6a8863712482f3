"""A small person for pictures: a skeleton with the usual names, and a made-up jog."""

from dataclasses import replace

import numpy as np

from randori.motion import rotations as rot
from randori.motion.clip import Clip
from randori.motion.parts import find_parts
from randori.motion.skeleton import Skeleton


def skeleton() -> Skeleton:
    """1.75 m tall, in the T, looking along +Z."""
    rows: list[tuple[str, str | None, tuple[float, float, float]]] = [
        ("Hips", None, (0.0, 0.93, 0.0)),
        ("Spine", "Hips", (0.0, 0.12, 0.0)),
        ("Spine1", "Spine", (0.0, 0.15, 0.0)),
        ("Neck", "Spine1", (0.0, 0.25, 0.0)),
        ("Head", "Neck", (0.0, 0.09, 0.02)),
    ]
    for side, x in (("Left", 1.0), ("Right", -1.0)):
        rows += [
            (f"{side}Shoulder", "Spine1", (0.04 * x, 0.2, 0.0)),
            (f"{side}Arm", f"{side}Shoulder", (0.14 * x, 0.0, 0.0)),
            (f"{side}ForeArm", f"{side}Arm", (0.28 * x, 0.0, 0.0)),
            (f"{side}Hand", f"{side}ForeArm", (0.25 * x, 0.0, 0.0)),
            (f"{side}UpLeg", "Hips", (0.09 * x, -0.03, 0.0)),
            (f"{side}Leg", f"{side}UpLeg", (0.0, -0.42, 0.0)),
            (f"{side}Foot", f"{side}Leg", (0.0, -0.4, 0.0)),
            (f"{side}ToeBase", f"{side}Foot", (0.0, -0.05, 0.14)),
        ]
    bones = Skeleton.build(rows)
    return replace(bones, parts=find_parts(bones.names, bones.parents))


def jog(
    seconds: float = 2.0,
    fps: float = 30.0,
    at: tuple[float, float] = (0.0, 0.0),
    yaw: float = 0.0,
    speed: float = 1.5,
) -> Clip:
    """Running in place or along a line, 1.4 strides a second."""
    bones = skeleton()
    time = np.arange(round(seconds * fps) + 1) / fps
    phase = 2.0 * np.pi * 1.4 * time
    turns = np.tile(rot.IDENTITY, (len(time), len(bones), 1))

    def turn(name: str, axis: np.ndarray, angle: np.ndarray) -> None:
        joint = bones.names.index(name)
        turns[:, joint] = rot.multiply(turns[:, joint], rot.from_axis_angle(axis, angle))

    flat = np.zeros_like(time)
    turn("Hips", rot.Y_AXIS, flat + yaw)
    turn("Spine", rot.X_AXIS, flat + 0.12)
    for side, sign in (("Left", 1.0), ("Right", -1.0)):
        swing = np.sin(phase) * sign
        turn(f"{side}UpLeg", rot.X_AXIS, -0.6 * swing - 0.2)
        turn(f"{side}Leg", rot.X_AXIS, 0.7 - 0.6 * np.cos(phase) * sign)
        turn(f"{side}Arm", rot.X_AXIS, 0.6 * swing)
        turn(f"{side}Arm", rot.Z_AXIS, flat - 1.25 * sign)
        turn(f"{side}ForeArm", rot.Y_AXIS, flat - 1.3 * sign)
    step = speed * time
    root = np.stack(
        [at[0] + step * np.sin(yaw), 0.9 + 0.03 * np.cos(2.0 * phase), at[1] + step * np.cos(yaw)], axis=-1
    )
    return Clip("jog", bones, fps, root, turns)
