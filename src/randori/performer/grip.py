"""Two hands on one grip: where the wrists are and how the hands are turned for a blade in the world."""

from dataclasses import dataclass

import numpy as np

from randori.motion import rotations as rot
from randori.performer import limbs
from randori.performer.proportions import FIST_FROM_WRIST, WEAPON_HAND, Body

HANDS_APART = 0.165  # metres between the fists on the grip
ARM_FREE, ARM_LIMIT = 0.89, 0.953  # of the arm: the grip is pulled in before an arm runs out
PULLS = 6  # both arms pull in turn until the grip is where both reach it
WRIST_GIVES = 0.55  # how much a hand turns on the grip towards its forearm
# The way from wrist to fist, in the blade's frame (left, back of the blade, point): the wrists stay on
# the back of the blade, a little to their own sides, so a cut pushes and a raised sword is carried.
_FIST = {"left": (-0.22, -0.70, 0.62), "right": (0.22, -0.70, 0.62)}
# the weapon's joint holds the blade ahead with the edge to the fingers; the blade's frame has it below
_EDGE = rot.from_axis_angle(rot.Z_AXIS, 0.5 * np.pi * (1.0 if WEAPON_HAND == "right" else -1.0))


@dataclass(frozen=True)
class Blade:
    """Where the weapon is meant to be in every frame."""

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
    """(F, 3) unit, from the wrist to the fist; with the forearm's direction known the hand gives way to it."""
    own = rot.rotate(blade.turned, rot.normalize(np.array(_FIST[side])))
    return own if forearm is None else rot.normalize(own + WRIST_GIVES * forearm)


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
    return rot.from_axes(outward, np.cross(thumb, outward))


def pulled_within_reach(
    blade: Blade, shoulders: dict[str, np.ndarray], body: Body, shares: dict[str, np.ndarray]
) -> Blade:
    """The blade with its hilt drawn in until both arms reach the grip; `shares` (F,) say which hands hold it."""
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
