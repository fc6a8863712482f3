"""The unplanned part of a fall: from where balance is lost to where the body lies.

What the actor means to do stays in the channels: arms that reach out, knees that give, a chin that is
tucked in. From there on these poses are only what the muscles pull towards; weight, floor and joints
decide what becomes of it (see kernels/ragdoll.py).
"""

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cache

import numpy as np

from randori.kernels import ragdoll
from randori.motion import rotations as rot
from randori.motion.clip import Clip
from randori.motion.editing import sample
from randori.motion.parts import SIDES
from randori.performer.calming import calmed
from randori.performer.flesh import flesh, hinged, rest_on_floor, unfolded
from randori.performer.proportions import Body
from randori.performer.tracks import ease

MASS = 75.0  # kg of the reference body; grows with the cube of the size
FRICTION = 0.7  # clothes and skin on a sports floor
REBOUND = 0.12  # of the landing speed: a body slaps down and hardly comes up again
SUBSTEPS_PER_SECOND = 1440.0  # joints come apart by 0.02 mm usually, 5 mm in the hardest impact
JOIN = 0.2  # seconds in which what the liveliness had added dies away
SETTLING = 4  # times at most that limbs which the floor has thrown about are calmed and laid on it again
SMOOTHING = 0.012  # seconds: flesh is softer than the contacts here


@dataclass(frozen=True)
class Bone:
    """The mass of a body part and the properties of its joint. Lengths are for the reference body."""

    mass: float  # share of the body's
    length: float  # metres, for the inertia
    centre: tuple[float, float, float]  # centre of mass from the joint, metres; x counts outwards
    strength: float  # N m/rad of a wide-awake muscle
    damping: float  # N m s/rad
    limit: float  # radians away from the middle
    middle: tuple[float, float, float] = (0.0, 0.0, 0.0)  # rotation vector; y and z as on the left
    hinge: int = ragdoll.FREE


MIDDLE_BONES = {
    "pelvis": Bone(0.142, 0.25, (0.0, 0.02, 0.0), 0.0, 0.0, 9.0),
    "spine": Bone(0.139, 0.25, (0.0, 0.07, 0.0), 350.0, 14.0, 0.55),
    "chest": Bone(0.180, 0.32, (0.0, 0.14, 0.0), 350.0, 14.0, 0.55),
    "neck": Bone(0.016, 0.12, (0.0, 0.04, 0.01), 60.0, 2.5, 0.55),
    "head": Bone(0.068, 0.22, (0.0, 0.08, 0.01), 40.0, 1.6, 0.6),
}
SIDE_BONES = {
    "shoulder": Bone(0.018, 0.17, (0.08, 0.0, 0.0), 250.0, 4.0, 0.35),
    "upper_arm": Bone(0.028, 0.30, (0.13, 0.0, 0.0), 45.0, 2.2, 1.75, (0.0, -0.9, -0.35)),
    "forearm": Bone(0.018, 0.27, (0.11, 0.0, 0.0), 30.0, 1.0, 9.0, hinge=ragdoll.LEFT_ELBOW),
    "hand": Bone(0.007, 0.17, (0.06, 0.0, 0.0), 6.0, 0.2, 1.0),
    "thigh": Bone(0.105, 0.44, (0.0, -0.19, 0.0), 300.0, 12.0, 1.25, (-0.8, 0.0, 0.15)),
    "shin": Bone(0.048, 0.41, (0.0, -0.18, 0.0), 200.0, 7.0, 9.0, hinge=ragdoll.KNEE),
    "foot": Bone(0.011, 0.18, (0.0, -0.03, 0.05), 60.0, 1.2, 0.75, (0.3, 0.0, 0.0)),
    "toes": Bone(0.003, 0.10, (0.0, 0.0, 0.03), 20.0, 0.3, 0.6),
}
# parts that must not go through each other
_IN_THE_WAY = (
    *(
        (f"{side}_{part}", trunk)
        for side in SIDES
        for part in ("forearm", "hand")
        for trunk in ("pelvis", "spine", "chest", "head")
    ),
    *((f"left_{part}", f"right_{part}") for part in ("hand", "shin", "foot")),
    *((f"{side}_shin", trunk) for side in SIDES for trunk in ("chest", "head")),
    ("left_shin", "right_foot"),
    ("right_shin", "left_foot"),
)


@cache
def _ragdoll(body: Body) -> tuple[ragdoll.Doll, np.ndarray]:
    """A body for the kernel, and the strengths (B,) of its wide-awake muscles in N m/rad."""
    skeleton, size = body.skeleton, body.size
    count = len(skeleton)
    bones: list[tuple[Bone, float]] = [(MIDDLE_BONES["pelvis"], 1.0)] * count
    for part, bone in MIDDLE_BONES.items():
        bones[skeleton.joint(part)] = bone, 1.0
    for part, bone in SIDE_BONES.items():
        for side, sign in zip(SIDES, (1.0, -1.0)):
            bones[skeleton.joint(f"{side}_{part}")] = bone, sign
    mass = MASS * size**3
    masses = np.array([bone.mass * mass for bone, _ in bones])
    lengths = np.array([bone.length * size for bone, _ in bones])
    mirror = np.array([[sign, 1.0, 1.0] for _, sign in bones])
    from_joint = np.array([bone.centre for bone, _ in bones]) * size * mirror
    # mirrored, a rotation vector keeps its x and changes the sign of the others
    middles = np.array([bone.middle for bone, _ in bones]) * (mirror[:, [1, 0, 0]])
    hinges = [
        ragdoll.RIGHT_ELBOW if bone.hinge == ragdoll.LEFT_ELBOW and sign < 0.0 else bone.hinge
        for bone, sign in bones
    ]
    where, points, radii = flesh(body)
    pairs = [
        (int(i), int(j))
        for first, second in _IN_THE_WAY
        for i in np.flatnonzero(where == skeleton.joint(first))
        for j in np.flatnonzero(where == skeleton.joint(second))
    ]
    above = np.maximum(skeleton.parents, 0)
    parts = np.zeros(count, dtype=ragdoll.BONE)
    parts["parent"] = skeleton.parents
    parts["mass"] = masses
    parts["inertia"] = masses * (lengths**2 / 12.0 + (0.05 * size) ** 2)
    parts["anchor"] = skeleton.offsets - from_joint[above]
    parts["centre"] = -from_joint
    parts["hinge"] = hinges
    parts["middle"] = rot.from_rotation_vector(middles)
    parts["limit"] = [bone.limit for bone, _ in bones]
    parts["damping"] = np.array([bone.damping for bone, _ in bones]) * size**4
    contacts = np.zeros(len(where), dtype=ragdoll.CONTACT)
    contacts["bone"], contacts["radius"] = where, radii
    contacts["point"] = points - from_joint[where]
    strengths = np.array([bone.strength for bone, _ in bones]) * size**4
    return ragdoll.Doll.of(parts, contacts, pairs), strengths


@dataclass(frozen=True)
class Push:
    """The push that brings a person down: a change of speed, largest at the part that is hit."""

    velocity: tuple[float, float, float]  # m/s in the world
    part: str = "chest"  # head, chest, pelvis or feet
    spin: float = 0.0  # rad/s about the vertical, to the left
    slippery: float = 0.0  # seconds for which the floor gives no hold

    def harder(self, times: int) -> "Push":
        """The same push with so many notches more, each from a little further aside."""
        way = rot.from_yaw(np.array(0.12 * times * (-1.0) ** times))
        x, y, z = (float(v) for v in (1.0 + 0.08 * times) * rot.rotate(way, np.array(self.velocity)))
        return replace(self, velocity=(x, y, z), spin=self.spin + 0.5 * times * (-1.0) ** times)


# how much of a push each part gets that it does not hit itself
_CARRIED_SHARES = {
    "head": {
        "head": 1.0,
        "neck": 0.8,
        "chest": 0.45,
        "shoulder": 0.45,
        "upper_arm": 0.4,
        "forearm": 0.35,
        "hand": 0.3,
        "spine": 0.3,
        "pelvis": 0.2,
    },
    "chest": {
        "head": 0.75,
        "neck": 0.85,
        "chest": 1.0,
        "shoulder": 1.0,
        "upper_arm": 0.95,
        "forearm": 0.85,
        "hand": 0.8,
        "spine": 0.8,
        "pelvis": 0.6,
        "thigh": 0.25,
    },
    "pelvis": {
        "head": 0.3,
        "neck": 0.4,
        "chest": 0.6,
        "shoulder": 0.6,
        "upper_arm": 0.6,
        "forearm": 0.55,
        "hand": 0.5,
        "spine": 0.85,
        "pelvis": 1.0,
        "thigh": 0.8,
        "shin": 0.4,
    },
    "feet": {"foot": 1.0, "toes": 1.0, "shin": 0.8, "thigh": 0.35},
}


def fall(
    body: Body,
    intent: Clip,
    start: int,
    push: Push,
    efforts: Sequence[tuple[float, float]],
) -> Clip:
    """Continue an intended motion, from a frame on, by muscles, weight and floor alone.

    `efforts` are (seconds since then, share of full strength). Gives the frames from `start` on.
    """
    (doll, strengths), skeleton = _ragdoll(body), body.skeleton
    centres = doll.bones["centre"]
    step = 1.0 / intent.fps
    turned = intent.global_rotations[start].copy()
    place = intent.positions[start] - rot.rotate(turned, centres)
    before = max(start - 2, 0)
    seconds = max(start - before, 1) * step
    old = intent.global_rotations[before]
    spin = rot.to_rotation_vector(rot.multiply(turned, rot.inverse(old))) / seconds
    velocity = (place - intent.positions[before] + rot.rotate(old, centres)) / seconds
    shares = _CARRIED_SHARES[push.part]
    for part, joint in skeleton.parts.items():
        bare = part.split("_", 1)[1] if part.startswith(SIDES) else part
        velocity[joint] += shares.get(bare, 0.0) * np.array(push.velocity)
        if bare in shares:
            spin[joint, 1] += push.spin * shares[bare]

    targets = np.ascontiguousarray(intent.rotations[start:])
    times, levels = np.array(efforts).T
    effort = np.interp(np.arange(len(targets)) * step, times, levels)
    frictions = np.where(np.arange(len(targets)) * step < push.slippery, 0.02, FRICTION)
    substeps = max(round(SUBSTEPS_PER_SECOND * step), 1)
    wanted = ragdoll.Effort(targets, effort[:, None] * strengths, frictions, REBOUND, step, substeps)
    touches = np.zeros(len(doll.contacts), dtype=ragdoll.TOUCH)
    state = ragdoll.State(place, turned, velocity, spin, place.copy(), turned.copy(), touches)
    fallen = ragdoll.Fall(np.empty((*targets.shape[:2], 3)), np.empty(targets.shape))
    ragdoll.simulate(doll, wanted, ragdoll.Hard.nothing(), state, fallen)
    local = rot.unroll(skeleton.to_local(fallen.rotations))
    return intent.with_frames(*_smoothed(fallen.places[:, 0], local, intent.fps))


def _smoothed(root: np.ndarray, rotations: np.ndarray, fps: float) -> tuple[np.ndarray, np.ndarray]:
    """Both with the hardest edges of the impacts taken off."""
    reach = int(3.0 * SMOOTHING * fps) + 1
    weights = np.exp(-0.5 * (np.arange(-reach, reach + 1) / (SMOOTHING * fps)) ** 2)
    weights /= weights.sum()

    def blurred(values: np.ndarray) -> np.ndarray:
        flat = values.reshape(len(values), -1)
        # before the first frame the motion goes on backwards as it came
        ahead = 2.0 * flat[:1] - flat[reach:0:-1]
        padded = np.concatenate([ahead, flat, np.repeat(flat[-1:], reach, axis=0)])
        mixed = sum(w * padded[k : k + len(flat)] for k, w in enumerate(weights))
        return np.asarray(mixed).reshape(values.shape)

    return blurred(root), rot.normalize(blurred(rotations))


@dataclass(frozen=True)
class Simulated:
    """A stretch of a take in which the body fell, and how the planned motion takes over again."""

    start: float  # seconds
    clip: Clip  # of that stretch, at a rate of its own
    release: float  # seconds: until then the body lies where it fell and only breathes
    fade: float  # seconds that the way into the planned motion takes
    stop: float  # seconds: from then on the body stands on its feet alone


def take_over(body: Body, planned: Clip, simulated: Sequence[Simulated]) -> Clip:
    """The planned clip with the falls in it, nothing of the body below the floor while it is low."""
    root, rotations = planned.root_position.copy(), planned.rotations.copy()
    for part in simulated:
        first, last = (int(np.ceil(t * planned.fps)) for t in (part.start, part.start + part.clip.duration))
        last = min(last, len(planned))
        if last - first < 2:
            continue
        # Step 1. The fall; what differs at its first frame dies away
        times = np.arange(first, last) / planned.fps
        fallen = sample(part.clip, times - part.start, planned.fps)
        still = 1.0 - ease((times - part.start) / JOIN)
        shift, turn = _difference(planned, first, fallen, 0)
        root[first:last] = fallen.root_position + still[:, None] * shift
        rotations[first:last] = rot.multiply(
            rot.from_rotation_vector(still[:, None, None] * turn), fallen.rotations
        )
        # Step 2. Lying: as it fell, plus what the plan does; then that difference dies away
        over = min(int(np.ceil((part.release + part.fade) * planned.fps)), len(planned))
        times = np.arange(last, over) / planned.fps
        kept = 1.0 - ease((times - part.release) / part.fade)
        shift, turn = _difference(fallen, len(fallen) - 1, planned, last - 1)
        root[last:over] += kept[:, None] * shift
        rotations[last:over] = rot.multiply(
            rot.from_rotation_vector(kept[:, None, None] * turn), rotations[last:over]
        )
        # Step 3. The floor
        stop = int(part.stop * planned.fps)
        low = slice(first, min(stop, len(planned)))
        lying = planned.with_frames(root[low], unfolded(body, hinged(body, rotations[low])))
        ends_low = stop > len(planned)
        rested = rest_on_floor(body, lying, ends_low)
        for _ in range(SETTLING):
            calm = calmed(rested)
            if calm is rested:
                break
            rested = rest_on_floor(body, calm, ends_low)
        root[low], rotations[low] = rested.root_position, rested.rotations
    return planned.with_frames(root, rot.unroll(rotations)) if simulated else planned


def _difference(a: Clip, frame: int, b: Clip, other: int) -> tuple[np.ndarray, np.ndarray]:
    """The difference from a frame of b to a frame of a: metres (3,) and rotation vectors (J, 3)."""
    turn = rot.to_rotation_vector(rot.multiply(a.rotations[frame], rot.inverse(b.rotations[other])))
    return a.root_position[frame] - b.root_position[other], turn
