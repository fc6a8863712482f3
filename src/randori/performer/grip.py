"""Two hands on one grip: where the wrists are and how the hands are turned for a blade in the world."""

from dataclasses import dataclass

import numpy as np

from randori.motion import rotations as rot
from randori.motion.easing import smooth_step
from randori.performer import limbs
from randori.performer.proportions import FIST_FROM_WRIST, WEAPON_HAND, Body

HANDS_APART = 0.165  # metres between the fists on the grip
ARM_FREE, ARM_LIMIT = 0.89, 0.953  # of the arm: the grip is pulled in before an arm runs out
HEAD_CLEARANCE = 0.225  # metres from the middle of the head to the middle of the grip
TRUNK_CLEARANCE = 0.185  # metres from the axis of the trunk to the off hand's part of the grip
FLOOR_CLEARANCE = 0.04  # metres
PULLS = 6  # both arms pull in turn until the grip is where both reach it
# Pose of a hand on the grip: the way from wrist to fist stands off the blade by an angle, on the edge's
# side, so a cut pushes and a raised sword is carried. It gives way to the forearm, smoothly everywhere:
# its amount is proportional to a component of the forearm's direction, never an angle that can wrap.
OFF_BLADE, GIVES_ALONG = np.radians(66.0), np.radians(28.0)
TO_ITS_SIDE, GIVES_ABOUT = np.radians(16.0), np.radians(75.0)
TWIST_AT_EASE = np.radians(-45.0)  # of a hand against its elbow's hinge
FOREARM_TWISTS, ELBOW_GIVES = np.radians(72.0), np.radians(50.0)  # at most, to follow a hand
# the weapon's joint holds the blade ahead with the edge to the fingers; the blade's frame has it below
_EDGE = rot.from_axis_angle(rot.Z_AXIS, 0.5 * np.pi * (1.0 if WEAPON_HAND == "right" else -1.0))


@dataclass(frozen=True)
class Blade:
    """The intended place of the weapon in every frame."""

    hilt: np.ndarray  # (F, 3) metres, the middle of the grip
    turned: np.ndarray  # (F, 4) the point along +Z, the edge along -Y

    @property
    def weapon(self) -> np.ndarray:
        """(F, 4) the weapon's joint in the world."""
        return rot.multiply(self.turned, _EDGE)


def swung(yaw: np.ndarray, plane: np.ndarray, swing: np.ndarray, roll: np.ndarray) -> np.ndarray:
    """(F, 4) a blade raised by `swing` in a plane that is tilted and turned; see channels.py."""
    turned = rot.multiply(rot.from_yaw(yaw), rot.from_axis_angle(rot.Z_AXIS, -plane))
    turned = rot.multiply(turned, rot.from_axis_angle(rot.X_AXIS, -swing))
    return rot.multiply(turned, rot.from_axis_angle(rot.Z_AXIS, -roll))


def fist_direction(blade: Blade, side: str, forearm: np.ndarray | None = None) -> np.ndarray:
    """(F, 3) unit, from the wrist to the fist; a hand gives way to its forearm's direction if it is known."""
    point, edge = rot.rotate(blade.turned, rot.Z_AXIS), rot.rotate(blade.turned, -rot.Y_AXIS)
    across = rot.rotate(blade.turned, rot.X_AXIS)
    off = np.full(len(point), OFF_BLADE)
    about = np.full(len(point), -TO_ITS_SIDE if side == "left" else TO_ITS_SIDE)
    if forearm is not None:
        off = off - GIVES_ALONG * np.sum(forearm * point, axis=-1)
        about = about + GIVES_ABOUT * np.sum(forearm * across, axis=-1)
    aside = edge * np.cos(about)[:, None] + across * np.sin(about)[:, None]
    return point * np.cos(off)[:, None] + aside * np.sin(off)[:, None]


def wrist(blade: Blade, side: str, body: Body, fist: np.ndarray) -> np.ndarray:
    """(F, 3) metres, where the wrist is when the fist is closed around its part of the grip."""
    along = 0.5 * HANDS_APART * body.size * (1.0 if side == WEAPON_HAND else -1.0)
    point = rot.rotate(blade.turned, rot.Z_AXIS)
    return blade.hilt + along * point - FIST_FROM_WRIST * body.arm_scale * fist


def hand_rotation(blade: Blade, side: str, fist: np.ndarray) -> np.ndarray:
    """(F, 4) a hand that points along `fist` with the blade coming out on its thumb's side."""
    outward = fist if side == "left" else -fist
    point = rot.rotate(blade.turned, rot.Z_AXIS)
    thumb = point - fist * np.sum(point * fist, axis=-1, keepdims=True)
    return rot.from_axes(outward, rot.cross(thumb, outward))


def pulled_within_reach(
    blade: Blade, shoulders: dict[str, np.ndarray], body: Body, shares: dict[str, np.ndarray]
) -> Blade:
    """The blade with its hilt drawn in until the arms reach it; `shares` (F,) say which hands hold it."""
    free, limit = ARM_FREE * body.arm_length, ARM_LIMIT * body.arm_length
    for _ in range(PULLS):
        pull = np.zeros_like(blade.hilt)
        for side, shoulder in shoulders.items():
            away = wrist(blade, side, body, fist_direction(blade, side)) - shoulder
            distance = np.linalg.norm(away, axis=-1)
            missing = (distance - limbs.soft_reach(distance, free, limit)) / distance
            pull -= (shares[side] * missing)[:, None] * away
        blade = Blade(blade.hilt + 0.7 * pull, blade.turned)
    return blade


def kept_off_body(blade: Blade, head: np.ndarray, trunk: np.ndarray, body: Body) -> Blade:
    """The blade with its grip pushed away where the fists would go through head or trunk.

    head (F, 3) is its middle, trunk (F, 2, 3) its lower and upper end, metres.
    """
    away = blade.hilt - head
    distance = np.linalg.norm(away, axis=-1)
    push = limbs.smooth_max(HEAD_CLEARANCE * body.size - distance, 0.0, 0.03) / distance
    hilt = blade.hilt + push[:, None] * away
    # the off hand at the pommel is the one that comes near the belly
    off = hilt - 0.5 * HANDS_APART * body.size * rot.rotate(blade.turned, rot.Z_AXIS)
    low, up = trunk[:, 0], trunk[:, 1] - trunk[:, 0]
    along = np.clip(np.sum((off - low) * up, axis=-1) / np.sum(up * up, axis=-1), 0.0, 1.0)
    away = off - low - along[:, None] * up
    distance = np.linalg.norm(away, axis=-1)
    push = limbs.smooth_max(TRUNK_CLEARANCE * body.size - distance, 0.0, 0.03) / distance
    return Blade(hilt + push[:, None] * away, blade.turned)


def kept_off_floor(blade: Blade, body: Body) -> Blade:
    """The blade with its point raised where it would go into the floor."""
    length = 0.5 * HANDS_APART * body.size + body.weapon
    point = rot.rotate(blade.turned, rot.Z_AXIS)
    height = blade.hilt[:, 1] + length * point[:, 1]
    raised = limbs.smooth_max(height, FLOOR_CLEARANCE, 0.06)
    up = np.clip((raised - blade.hilt[:, 1]) / length, -1.0, 1.0)
    planar = rot.normalize(point * np.array([1.0, 0.0, 1.0]) + 1e-9 * rot.Z_AXIS)
    lifted = planar * np.sqrt(1.0 - up**2)[:, None] + up[:, None] * rot.Y_AXIS
    return Blade(blade.hilt, rot.multiply(rot.between(point, lifted), blade.turned))


def sideways_twist(rotation: np.ndarray) -> np.ndarray:
    """(F,) -1 to 1, how much a hand (F, 4) is twisted on its forearm: the sine of the angle from its ease.

    Unlike the angle it never jumps, and it fades where a hand is bent back and a twist means nothing.
    """
    angle = 2.0 * np.arctan2(rotation[:, 1], rotation[:, 0]) - TWIST_AT_EASE
    straight = np.hypot(rotation[:, 0], rotation[:, 1])  # cosine of half the bend
    return np.sin(angle) * smooth_step((straight - 0.35) / 0.3)
