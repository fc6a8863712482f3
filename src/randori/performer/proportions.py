"""The actor's body: a skeleton that stands in a T looking along +Z when every rotation is zero."""

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from randori.errors import RandoriError
from randori.motion.parts import SIDES
from randori.motion.skeleton import Skeleton

# The body that the scripts are written for, in metres. Everything else is a ratio to it.
REFERENCE_HEIGHT = 1.75
ANKLE_HEIGHT = 0.085
BALL_HEIGHT = 0.02
HEEL_BEHIND_ANKLE = 0.05
_THIGH, _SHIN = 0.44, 0.41
_UPPER_ARM, _FOREARM = 0.28, 0.26
_HIP_BELOW_PELVIS = 0.035
FIST_FROM_WRIST = 0.085  # the middle of what a hand is closed around
SWORD_LENGTH = 0.86  # from the leading hand to the point
WEAPON_HAND = "right"  # the leading one, next to the guard, whichever foot is in front
_LEGS = ANKLE_HEIGHT + _THIGH + _SHIN + _HIP_BELOW_PELVIS  # floor to pelvis


@dataclass(frozen=True)
class Body:
    """The proportions of one actor. Ratios are relative to an average adult of the same height."""

    name: str
    height: float = REFERENCE_HEIGHT  # metres, floor to crown
    legs: float = 1.0
    arms: float = 1.0
    shoulders: float = 1.0  # width
    hips: float = 1.0  # width
    weapon: float = 0.0  # metres from the leading hand to the point; 0 = unarmed

    def armed(self) -> "Body":
        """The same body with a sword of its size."""
        return replace(self, weapon=SWORD_LENGTH * self.size)

    @property
    def size(self) -> float:
        """Height as a ratio to the reference body."""
        return self.height / REFERENCE_HEIGHT

    @property
    def leg_scale(self) -> float:
        """The factor for a length in a script that belongs to feet and pelvis."""
        return self.size * self.legs

    @property
    def arm_scale(self) -> float:
        """The factor for a length in a script that belongs to the hands."""
        return self.size * self.arms

    @property
    def leg_length(self) -> float:
        """Metres from hip to ankle."""
        return (_THIGH + _SHIN) * self.leg_scale

    @property
    def arm_length(self) -> float:
        """Metres from shoulder to wrist."""
        return (_UPPER_ARM + _FOREARM) * self.arm_scale

    @property
    def standing_height(self) -> float:
        """Metres from the floor to the pelvis with straight legs."""
        return _LEGS * self.leg_scale

    @cached_property
    def skeleton(self) -> Skeleton:
        """The bones, with the body parts named."""
        size, leg, arm = self.size, self.leg_scale, self.arm_scale
        # longer legs leave less for the trunk: the crown stays where the height says
        trunk = (self.height - self.standing_height) / (REFERENCE_HEIGHT - _LEGS)
        wide, hip = self.shoulders * size, self.hips * size
        rows: list[tuple[str, str | None, tuple[float, float, float]]] = [
            ("Hips", None, (0.0, 0.0, 0.0)),
            ("Spine", "Hips", (0.0, 0.10 * trunk, -0.012 * size)),
            ("Spine1", "Spine", (0.0, 0.14 * trunk, 0.0)),
            ("Neck", "Spine1", (0.0, 0.28 * trunk, 0.0)),
            ("Head", "Neck", (0.0, 0.085 * trunk, 0.018 * size)),
        ]
        parts = {"pelvis": "Hips", "spine": "Spine", "chest": "Spine1", "neck": "Neck", "head": "Head"}
        tips = {"Head": (0.0, 0.175 * trunk, 0.0)}
        for side, sign in zip(SIDES, (1.0, -1.0)):
            word = side.capitalize()
            rows += [
                (f"{word}Shoulder", "Spine1", (sign * 0.025 * wide, 0.225 * trunk, 0.010 * size)),
                (f"{word}Arm", f"{word}Shoulder", (sign * 0.165 * wide, 0.0, -0.015 * size)),
                (f"{word}ForeArm", f"{word}Arm", (sign * _UPPER_ARM * arm, 0.0, 0.0)),
                (f"{word}Hand", f"{word}ForeArm", (sign * _FOREARM * arm, 0.0, 0.0)),
                (f"{word}UpLeg", "Hips", (sign * 0.092 * hip, -_HIP_BELOW_PELVIS * leg, 0.0)),
                (f"{word}Leg", f"{word}UpLeg", (0.0, -_THIGH * leg, 0.0)),
                (f"{word}Foot", f"{word}Leg", (0.0, -_SHIN * leg, 0.0)),
                (f"{word}ToeBase", f"{word}Foot", (0.0, (BALL_HEIGHT - ANKLE_HEIGHT) * leg, 0.13 * leg)),
            ]
            tips[f"{word}Hand"] = (sign * 0.17 * arm, 0.0, 0.0)
            tips[f"{word}ToeBase"] = (0.0, 0.0, 0.07 * leg)
            joints = ("Shoulder", "Arm", "ForeArm", "Hand", "UpLeg", "Leg", "Foot", "ToeBase")
            names = ("shoulder", "upper_arm", "forearm", "hand", "thigh", "shin", "foot", "toes")
            parts |= {f"{side}_{part}": f"{word}{joint}" for part, joint in zip(names, joints)}
        if self.weapon > 0.0:
            # in the T the leading palm looks down and the blade points ahead, its edge to the fingers' side
            hand = f"{WEAPON_HAND.capitalize()}Hand"
            outward = 1.0 if WEAPON_HAND == "left" else -1.0
            rows.append(("Weapon", hand, (outward * FIST_FROM_WRIST * arm, 0.0, 0.0)))
            parts["weapon"] = "Weapon"
            tips["Weapon"] = (0.0, 0.0, self.weapon)
        bare = Skeleton.build(rows)
        index = {name: joint for joint, name in enumerate(bare.names)}
        ends = np.zeros_like(bare.offsets)
        for name, tip in tips.items():
            ends[index[name]] = tip
        return Skeleton(
            bare.names, bare.parents, bare.offsets, ends, {part: index[name] for part, name in parts.items()}
        )


BODIES = {
    body.name: body
    for body in (
        Body("average"),
        Body("tall", height=1.92, legs=1.03, arms=1.03),
        Body("short", height=1.58, legs=0.98),
        Body("stocky", height=1.70, legs=0.96, arms=0.97, shoulders=1.12, hips=1.10),
        Body("slim", height=1.78, legs=1.03, shoulders=0.93, hips=0.95),
        Body("long-armed", height=1.80, arms=1.08, shoulders=1.04),
    )
}


def find_body(body: str | Body) -> Body:
    """The body of this name."""
    if isinstance(body, Body):
        return body
    if body not in BODIES:
        raise RandoriError(f"there is no body {body!r}; the bodies are {', '.join(BODIES)}")
    return BODIES[body]
