"""Weights that hang the capsules of a body on its particles, and the particle of each part of the body."""

from functools import lru_cache

import numpy as np

from randori.body.capsules import CAPSULES
from randori.kernels import puppet
from randori.motion.parts import SIDES
from randori.timeline.impulse import SHARES

_TRUNK = {
    "head": ({puppet.SKULL: 1.0}, {puppet.SKULL: 1.0}),
    "upper_torso": ({puppet.CHEST: 0.55, puppet.PELVIS: 0.45}, {puppet.CHEST: 1.0}),
    "lower_torso": ({puppet.PELVIS: 1.0}, {puppet.CHEST: 0.45, puppet.PELVIS: 0.55}),
}
_OF_SIDE = {
    "left": (puppet.LEFT_ELBOW, puppet.LEFT_WRIST, puppet.LEFT_KNEE, puppet.LEFT_ANKLE),
    "right": (puppet.RIGHT_ELBOW, puppet.RIGHT_WRIST, puppet.RIGHT_KNEE, puppet.RIGHT_ANKLE),
}
_FREELY, _ALONG_LIMB = 0.5, 0.3
_CARRYING_PARTICLES = {"head": puppet.SKULL, "chest": puppet.CHEST, "pelvis": puppet.PELVIS}


@lru_cache(maxsize=1)
def capsule_weights() -> np.ndarray:
    """(16, 2, 12) how far the particles move both ends of each capsule."""
    rows = dict(_TRUNK)
    for side in SIDES:
        elbow, wrist, knee, ankle = _OF_SIDE[side]
        # an elbow moves freely only across its limb: most of its way it goes with the shoulder and the wrist
        at_elbow = {elbow: _FREELY, wrist: _ALONG_LIMB, puppet.CHEST: _ALONG_LIMB}
        at_knee = {knee: _FREELY, ankle: _ALONG_LIMB, puppet.PELVIS: _ALONG_LIMB}
        rows[f"{side}_upper_arm"] = ({puppet.CHEST: 1.0}, at_elbow)
        rows[f"{side}_forearm"] = (at_elbow, {wrist: 1.0})
        rows[f"{side}_hand"] = ({wrist: 1.0}, {wrist: 1.0})
        rows[f"{side}_thigh"] = ({puppet.PELVIS: 1.0}, at_knee)
        rows[f"{side}_shin"] = (at_knee, {ankle: 1.0})
        rows[f"{side}_foot"] = ({ankle: 1.0}, {ankle: 1.0})
    rows["weapon"] = ({puppet.RIGHT_WRIST: 1.0}, {puppet.RIGHT_WRIST: 1.0, puppet.TIP: 1.0})
    weights = np.zeros((len(CAPSULES), 2, puppet.PARTICLES))
    for name, ends in rows.items():
        for end, shares in enumerate(ends):
            for particle, share in shares.items():
                weights[CAPSULES.index(name), end, particle] = share
    return weights


def particle_of(capsule: str) -> int:
    """The particle that moves a capsule's far end most."""
    return int(capsule_weights()[CAPSULES.index(capsule), 1].argmax())


def shares_of_blow(capsule: str) -> np.ndarray:
    """(12,) of the speed that a struck part gets: how much of it every particle gets."""
    shares = np.zeros(puppet.PARTICLES)
    if capsule not in SHARES:
        shares[particle_of(capsule)] = 1.0
    for part, share in SHARES.get(capsule, {}).items():
        shares[_CARRYING_PARTICLES[part]] = share
    return shares
