"""A ragdoll of any skeleton whose body parts are known: its weight, the limits of its joints, its flesh.

Bones are the joints of body parts. Other joints (fingers, a second spine, a sword) stay on their bone as they
are in the pose that the doll is made from.
"""

from dataclasses import dataclass

import numpy as np

from randori.body import mannequin
from randori.body.capsules import CAPSULES
from randori.body.capsules import fit as fit_capsules
from randori.body.mannequin import scale_of
from randori.kernels import ragdoll
from randori.motion import rotations as rot
from randori.motion.clip import Clip
from randori.motion.parts import SIDES
from randori.motion.skeleton import Skeleton
from randori.performer.falling import MASS, MIDDLE_BONES, SIDE_BONES, Bone

_BALLS = 4  # of flesh along the axis of a capsule
_LIGHTEST_BONE = 0.25  # kg of a bone in the simulation: the step is too long for toes of 0.2 kg
# capsules of one body that must not go through each other
_TRUNK = ("head", "upper_torso", "lower_torso")
_IN_THE_WAY = (
    *((f"{side}_{limb}", trunk) for side in SIDES for limb in ("forearm", "hand") for trunk in _TRUNK),
    *((f"{side}_{limb}", trunk) for side in SIDES for limb in ("shin", "foot") for trunk in _TRUNK),
    *(
        (f"{side}_{arm}", f"{other}_thigh")
        for side in SIDES
        for other in SIDES
        for arm in ("forearm", "hand")
    ),
    *((f"left_{one}", f"right_{other}") for one in ("shin", "foot") for other in ("shin", "foot")),
    *((f"left_{one}", f"right_{other}") for one in ("forearm", "hand") for other in ("forearm", "hand")),
    ("left_thigh", "right_thigh"),
    ("left_shin", "right_thigh"),
    ("left_thigh", "right_shin"),
)


@dataclass(frozen=True, eq=False)
class BodyDoll:
    """A doll in the pose that it was made from, and how to come back to the skeleton."""

    skeleton: Skeleton
    doll: ragdoll.Doll
    strengths: np.ndarray  # (B,) N m/rad of wide-awake muscles
    joints: np.ndarray  # (B,) int64, the joint of each bone
    local: np.ndarray  # (J, 4) how all joints are turned against their parents in that pose
    root: np.ndarray  # (3,) metres, the root from the pelvis, in the pelvis' frame
    root_turn: np.ndarray  # (4,) the root's turn in the pelvis' frame

    @classmethod
    def of(cls, clip: Clip, frame: int) -> "BodyDoll":
        """The doll of a clip's body, in the pose of a frame."""
        skeleton, scale = clip.skeleton, scale_of(clip.skeleton)
        positions, turned = clip.positions[frame], clip.global_rotations[frame]
        table = _bones(skeleton)
        joints = np.array(sorted(table), dtype=np.int64)
        number = {joint: b for b, joint in enumerate(joints.tolist())}
        owner = _owners(skeleton, number)
        aligned = away_from_reference(skeleton, turned)[joints]
        mirror = np.array([[table[joint][1], 1.0, 1.0] for joint in joints.tolist()])
        bones = [table[joint][0] for joint in joints.tolist()]
        from_joint = scale * mirror * np.array([bone.centre for bone in bones])
        centres = positions[joints] + rot.rotate(aligned, from_joint)

        parts = np.zeros(len(joints), dtype=ragdoll.BONE)
        parents = np.array([_bone_above(skeleton, joint, number) for joint in joints.tolist()])
        above = np.maximum(parents, 0)
        masses = np.maximum(MASS * scale**3 * np.array([bone.mass for bone in bones]), _LIGHTEST_BONE)
        lengths = scale * np.array([bone.length for bone in bones])
        parts["parent"], parts["mass"] = parents, masses
        parts["inertia"] = masses * (lengths**2 / 12.0 + (0.05 * scale) ** 2)
        parts["anchor"] = rot.rotate(rot.inverse(aligned[above]), positions[joints] - centres[above])
        parts["centre"] = -from_joint
        parts["hinge"] = [_hinge(bone, sign) for bone, sign in (table[joint] for joint in joints.tolist())]
        # mirrored, a rotation vector keeps its x and changes the sign of the others
        middles = np.array([bone.middle for bone in bones]) * mirror[:, [1, 0, 0]]
        parts["middle"] = rot.from_rotation_vector(middles)
        parts["limit"] = [bone.limit for bone in bones]
        parts["damping"] = scale**4 * np.array([bone.damping for bone in bones])
        strengths = scale**4 * np.array([bone.strength for bone in bones])

        # Flesh: the drawn cones' ends lie on the floor, balls along the capsules keep limbs apart
        cones, capsules = mannequin.fit(skeleton), fit_capsules(skeleton)
        starts, stops = (ends[0] for ends in cones.place(positions[None], turned[None]))
        ends = capsules.place(positions[None], turned[None])[0]
        along = np.linspace(0.0, 1.0, _BALLS)[:, None, None]
        balls = (1.0 - along) * ends[None, :, 0] + along * ends[None, :, 1]  # (4, 16, 3)
        there = np.flatnonzero(capsules.radii > 0.0)
        carriers = np.concatenate([cones.joints, cones.joints, np.tile(capsules.joints[there], _BALLS)])
        spots = np.concatenate([starts, stops, balls[:, there].reshape(-1, 3)])
        radii = np.concatenate([cones.start_radii, cones.stop_radii, np.tile(capsules.radii[there], _BALLS)])
        contacts = np.zeros(len(carriers), dtype=ragdoll.CONTACT)
        contacts["bone"], contacts["radius"] = owner[carriers], radii
        carried = owner[carriers]
        contacts["point"] = rot.rotate(rot.inverse(aligned[carried]), spots - centres[carried])
        pairs = _pairs(2 * len(cones.joints), there, capsules.radii, ends)
        pelvis = skeleton.joint("pelvis")
        back = rot.inverse(turned[pelvis])
        return cls(
            skeleton,
            ragdoll.Doll.of(parts, contacts, pairs),
            strengths,
            joints,
            clip.rotations[frame].copy(),
            rot.rotate(back, positions[0] - positions[pelvis]),
            rot.multiply(back, turned[0]),
        )

    def bones_in(self, clip: Clip, frames: slice) -> tuple[np.ndarray, np.ndarray]:
        """Centres of mass (F, B, 3) in metres and turns (F, B, 4) of the bones in frames of a clip."""
        turned = away_from_reference(self.skeleton, clip.global_rotations[frames])[:, self.joints]
        return clip.positions[frames][:, self.joints] - rot.rotate(turned, self.doll.bones["centre"]), turned

    def wanted(self, clip: Clip, frames: np.ndarray) -> np.ndarray:
        """(F, B, 4) how bones are turned against those above them in frames of a clip."""
        turned = away_from_reference(self.skeleton, clip.global_rotations[frames])[:, self.joints]
        above = self.doll.bones["parent"]
        inner = above >= 0
        local = turned.copy()
        local[:, inner] = rot.multiply(rot.inverse(turned[:, above[inner]]), turned[:, inner])
        return local

    def posed(self, places: np.ndarray, turned: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """The root (F, 3) and rotations (F, J, 4), for bones at (F, B, 3) that are turned by (F, B, 4)."""
        skeleton, frames = self.skeleton, len(turned)
        own = rot.multiply(turned, skeleton.reference[self.joints])
        world = np.empty((frames, len(skeleton), 4))
        number = {joint: b for b, joint in enumerate(self.joints.tolist())}
        pelvis = number[skeleton.joint("pelvis")]
        for joint, parent in enumerate(skeleton.parents.tolist()):
            if joint in number:
                world[:, joint] = own[:, number[joint]]
            elif parent < 0:
                world[:, joint] = rot.multiply(own[:, pelvis], self.root_turn)
            else:
                world[:, joint] = rot.multiply(world[:, parent], self.local[joint])
        root = places[:, pelvis] + rot.rotate(own[:, pelvis], self.root)
        return root, rot.unroll(rot.normalize(skeleton.to_local(world)))


def away_from_reference(skeleton: Skeleton, turned: np.ndarray) -> np.ndarray:
    """(…, J, 4) how joints that are turned by (…, J, 4) in the world are turned away from the T."""
    return rot.multiply(turned, rot.inverse(skeleton.reference))


def _bones(skeleton: Skeleton) -> dict[int, tuple[Bone, float]]:
    """The joints that are bones, with 1 for the left and the middle, -1 for the right."""
    rows = [(part, bone, 1.0) for part, bone in MIDDLE_BONES.items()]
    for side, sign in zip(SIDES, (1.0, -1.0)):
        rows += [(f"{side}_{part}", bone, sign) for part, bone in SIDE_BONES.items()]
    return {skeleton.parts[part]: (bone, sign) for part, bone, sign in rows if part in skeleton.parts}


def _hinge(bone: Bone, sign: float) -> int:
    return ragdoll.RIGHT_ELBOW if bone.hinge == ragdoll.LEFT_ELBOW and sign < 0.0 else bone.hinge


def _bone_above(skeleton: Skeleton, joint: int, number: dict[int, int]) -> int:
    """The bone that a joint hangs on, or -1."""
    parent = int(skeleton.parents[joint])
    while parent >= 0 and parent not in number:
        parent = int(skeleton.parents[parent])
    return number.get(parent, -1)


def _owners(skeleton: Skeleton, number: dict[int, int]) -> np.ndarray:
    """(J,) the bone that carries each joint; joints above the pelvis go with it."""
    pelvis = number[skeleton.joint("pelvis")]
    found = [
        number[joint] if joint in number else _bone_above(skeleton, joint, number)
        for joint in range(len(skeleton))
    ]
    return np.array([pelvis if bone < 0 else bone for bone in found], dtype=np.int64)


def _pairs(first: int, there: np.ndarray, radii: np.ndarray, ends: np.ndarray) -> list[tuple[int, int]]:
    """Balls of capsules that must not be in each other; balls are numbered from `first` on, row by row."""
    place = {CAPSULES[capsule]: k for k, capsule in enumerate(there.tolist())}
    along = np.linspace(0.0, 1.0, _BALLS)
    pairs = []
    for one, other in _IN_THE_WAY:
        if one not in place or other not in place:
            continue
        a, b = CAPSULES.index(one), CAPSULES.index(other)
        for i, s in enumerate(along):
            for j, t in enumerate(along):
                spots = ((1.0 - s) * ends[a, 0] + s * ends[a, 1], (1.0 - t) * ends[b, 0] + t * ends[b, 1])
                # parts that overlap in the standing pose are built so: hips, a fist at a chin
                if np.linalg.norm(spots[0] - spots[1]) > radii[a] + radii[b]:
                    pairs.append((first + i * len(there) + place[one], first + j * len(there) + place[other]))
    return pairs
