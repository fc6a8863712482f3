"""Bodies as particles: how they are built, how they move by themselves, and what turns which joint."""

from collections.abc import Sequence
from typing import NamedTuple

import numpy as np

from randori.body.capsules import CAPSULES, Capsules
from randori.body.capsules import fit as fit_capsules
from randori.graph.joining import Walk
from randori.kernels import physics, puppet
from randori.kernels.limbs import LEG_REACH
from randori.kernels.nearness import near_pairs
from randori.motion.clip import Clip
from randori.motion.easing import smoother_step
from randori.motion.feet import foot_contacts
from randori.motion.inverse_kinematics import ARM_REACH, Limb, find_limb, hinge_axes
from randori.motion.skeleton import Skeleton
from randori.physics.contact import grip
from randori.physics.weights import capsule_weights, particle_of

_HOLD_EASE = 0.15  # seconds in which a foot is taken to its place, or let go of

# with the capsules whose far ends are their middles and ends
LIMB_NAMES = {
    "left_arm": ("upper_arm", "forearm"),
    "right_arm": ("upper_arm", "forearm"),
    "left_leg": ("thigh", "shin"),
    "right_leg": ("thigh", "shin"),
}
_REACH = tuple(ARM_REACH if "arm" in name else LEG_REACH for name in LIMB_NAMES)  # of a limb's length


def bodies_of(walks: Sequence[Walk], frames: int) -> puppet.Bodies:
    """Bodies and their motion, one after the other, as the kernel needs them."""
    clips = [walk.clip for walk in walks]
    skeletons = [clip.skeleton for clip in clips]
    first = np.concatenate([[0], np.cumsum([len(skeleton) for skeleton in skeletons])]).astype(np.int64)
    built = [_build(skeleton) for skeleton in skeletons]
    fitted = [fit_capsules(skeleton) for skeleton in skeletons]
    ends = np.stack(
        [body.place(clip.positions, clip.global_rotations)[:frames] for body, clip in zip(fitted, clips)],
        axis=1,
    )
    return puppet.Bodies(
        first=first,
        parents=np.concatenate(
            [np.where(one.parents >= 0, one.parents + start, -1) for one, start in zip(skeletons, first)]
        ).astype(np.int64),
        kind=np.concatenate([one.kind for one in built]),
        limb=np.concatenate([one.limb for one in built]),
        share=np.concatenate([one.share for one in built]),
        trunk=np.array([_shifted(one.trunk, start) for one, start in zip(built, first)], dtype=np.int64),
        neck=np.array([_shifted(one.neck, start) for one, start in zip(built, first)], dtype=np.int64),
        limbs=np.array(
            [
                [
                    (
                        *(joint + start for joint in limb),
                        skeleton.length_between(limb.end, limb.upper) * reach,
                    )
                    for limb, reach in zip(_limbs(skeleton), _REACH)
                ]
                for skeleton, start in zip(skeletons, first)
            ],
            dtype=puppet.LIMB,
        ),
        capsules=np.array([body.joints + start for body, start in zip(fitted, first)], dtype=np.int64),
        radii=np.array([body.radii for body in fitted]),
        weights=capsule_weights(),
        joints=np.concatenate([clip.positions[:frames] for clip in clips], axis=1),
        ends=ends,
        points=np.stack(
            [_points(clip, body, ends[:, b]) for b, (clip, body) in enumerate(zip(clips, fitted))], axis=1
        ),
        hinges=np.stack(
            [np.stack([hinge_axes(clip, name)[:frames] for name in LIMB_NAMES], axis=1) for clip in clips],
            axis=1,
        ),
        planted=np.stack([planted(walk)[:frames] for walk in walks], axis=1),
        grip=np.stack([grip(clip)[:frames] for clip in clips], axis=1),
    )


def _limbs(skeleton: Skeleton) -> list[Limb]:
    return [find_limb(skeleton, name) for name in LIMB_NAMES]


def near_bodies(bodies: puppet.Bodies) -> np.ndarray:
    """(P, 2) int64, bodies that come near each other."""
    places = bodies.points[:, :, puppet.PELVIS][..., [0, 2]].swapaxes(0, 1)
    return near_pairs(np.ascontiguousarray(places), physics.NEAR)


def movers(bodies: puppet.Bodies, b: int) -> np.ndarray:
    """(J, 12) bool: the particles that turn each joint of a body."""
    joints = slice(bodies.first[b], bodies.first[b + 1])
    movers = np.zeros((joints.stop - joints.start, puppet.PARTICLES), dtype=bool)
    of_limb = [[particle_of(f"{name[:-4]}_{part}") for part in parts] for name, parts in LIMB_NAMES.items()]
    for joint, (kind, limb) in enumerate(zip(bodies.kind[joints], bodies.limb[joints])):
        if kind == puppet.TRUNK:
            movers[joint, [puppet.PELVIS, puppet.CHEST]] = True
        elif kind == puppet.NECK:
            movers[joint, [puppet.CHEST, puppet.SKULL]] = True
        elif kind != puppet.CARRIED:
            movers[joint, of_limb[limb]] = True
            if kind == puppet.END and limb == 1:
                movers[joint, puppet.TIP] = True
    return movers


class _Built(NamedTuple):
    """Roles of the joints of a skeleton; see kernels/puppet.py."""

    kind: np.ndarray
    limb: np.ndarray
    share: np.ndarray
    trunk: int
    neck: int


def _build(skeleton: Skeleton) -> _Built:
    kind, limb = (np.zeros(len(skeleton), dtype=np.int64) for _ in range(2))
    share = np.zeros(len(skeleton))
    top = next(skeleton.parts[part] for part in ("chest", "spine", "pelvis") if part in skeleton.parts)
    trunk = _chain(skeleton, top, 0)
    neck = _chain(skeleton, skeleton.joint("head"), top)
    for chain, bends in ((trunk, puppet.TRUNK), (neck, puppet.NECK)):
        for number, joint in enumerate(chain, start=1):
            kind[joint], share[joint] = bends, number / len(chain)
    for number, name in enumerate(LIMB_NAMES):
        for joint, what in zip(find_limb(skeleton, name), (puppet.UPPER, puppet.MIDDLE, puppet.END)):
            kind[joint], limb[joint] = what, number
    return _Built(kind, limb, share, trunk[0] if trunk else -1, neck[0] if neck else -1)


def _chain(skeleton: Skeleton, lower: int, upper: int) -> list[int]:
    """The joints below `upper` down to `lower`, or none if that does not hang on it."""
    chain, joint = [], lower
    while joint not in (upper, -1):
        chain.append(joint)
        joint = int(skeleton.parents[joint])
    return chain[::-1] if joint == upper else []


def _shifted(joint: int, start: int) -> int:
    return joint + int(start) if joint >= 0 else -1


def _points(clip: Clip, body: Capsules, ends: np.ndarray) -> np.ndarray:
    """(F, 12, 3) metres: the particles of a body."""
    points = np.empty((len(ends), puppet.PARTICLES, 3))
    positions = clip.positions[: len(ends)]
    points[:, puppet.PELVIS] = positions[:, clip.skeleton.joint("pelvis")]
    points[:, puppet.CHEST] = ends[:, CAPSULES.index("upper_torso"), 1]
    points[:, puppet.SKULL] = ends[:, CAPSULES.index("head")].mean(axis=1)
    for particle, part in (
        (puppet.LEFT_ELBOW, "left_forearm"),
        (puppet.LEFT_WRIST, "left_hand"),
        (puppet.LEFT_KNEE, "left_shin"),
        (puppet.LEFT_ANKLE, "left_foot"),
        (puppet.RIGHT_ELBOW, "right_forearm"),
        (puppet.RIGHT_WRIST, "right_hand"),
        (puppet.RIGHT_KNEE, "right_shin"),
        (puppet.RIGHT_ANKLE, "right_foot"),
    ):
        points[:, particle] = positions[:, clip.skeleton.joint(part)]
    points[:, puppet.TIP] = ends[:, CAPSULES.index("weapon"), 1]
    return points


def planted(walk: Walk) -> np.ndarray:
    """(F, 2) 1 where a foot stands, as the recording says or as it is seen; eased in and out."""
    stands = walk.contacts | foot_contacts(walk.clip)
    reach = max(round(_HOLD_EASE * walk.clip.fps), 1)
    hold = np.empty(stands.shape)
    frames = np.arange(len(stands))
    for foot in range(2):
        standing = np.flatnonzero(stands[:, foot])
        if len(standing) == 0:
            hold[:, foot] = 0.0
            continue
        after = np.searchsorted(standing, frames)
        ahead = standing[np.minimum(after, len(standing) - 1)] - frames
        behind = frames - standing[np.maximum(after - 1, 0)]
        ahead, behind = (np.where(gap < 0, reach, gap) for gap in (ahead, behind))
        hold[:, foot] = 1.0 - smoother_step(np.minimum(ahead, behind) / reach)
    return hold
