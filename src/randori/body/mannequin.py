"""A person made of round cones, fitted to any skeleton whose body parts are known.

A round cone is two spheres and the cone between them. Each hangs on one joint. All measures below are
of a body 1.75 m tall, in the T-pose that looks along +Z (the left hand points along +X), and are scaled to
the body at hand. Bones give the lengths, this page gives the flesh.
"""

from dataclasses import dataclass
from functools import lru_cache

import numpy as np

from randori.errors import BodyPartError
from randori.motion import rotations as rot
from randori.motion.parts import missing_parts
from randori.motion.skeleton import Flesh, Skeleton

SKIN, SHIRT, TROUSERS, SHOES, HAIR, GLOVES, WEAPON = range(7)
MATERIALS = ("skin", "shirt", "trousers", "shoes", "hair", "gloves", "weapon")

_BONY_PARTS = ("head", "hand", "foot", "toes", "weapon")  # parts that are as thick on all bodies of a height
_HEIGHT = 1.75  # metres, of the body that the measures are of
SOLE = 0.012  # metres of shoe below the lowest joint of the T, which lies inside the foot


@dataclass(frozen=True, eq=False)
class Mannequin:
    """Round cones on joints."""

    skeleton: Skeleton
    joints: np.ndarray  # (N,) the joint that carries each cone
    starts: np.ndarray  # (N, 3) metres, in the joint's frame
    stops: np.ndarray  # (N, 3) metres, in the joint's frame
    start_radii: np.ndarray  # (N,) metres
    stop_radii: np.ndarray  # (N,) metres
    materials: np.ndarray  # (N,) index into MATERIALS
    parts: tuple[str, ...]  # (N,) the body part that each cone belongs to

    def place(self, positions: np.ndarray, rotations: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Both ends (F, N, 3) of all cones in the world, for joints at (F, J, 3) turned by (F, J, 4)."""
        origin, turn = positions[:, self.joints], rotations[:, self.joints]
        return origin + rot.rotate(turn, self.starts), origin + rot.rotate(turn, self.stops)

    def heights(self, positions: np.ndarray, rotations: np.ndarray, cones: np.ndarray) -> np.ndarray:
        """(F, C) metres over the floor of the lowest points of some cones (C,); for that, up is enough."""
        w, x, y, z = np.moveaxis(rotations, -1, 0)
        up = 2.0 * (x * y + w * z), 1.0 - 2.0 * (x * x + z * z), 2.0 * (y * z - w * x)  # (F, J) each
        lowest = np.empty((len(positions), len(cones)))
        for place, cone in enumerate(cones.tolist()):
            joint = int(self.joints[cone])
            ends = [
                sum(axis[:, joint] * end[cone, k] for k, axis in enumerate(up)) - radii[cone]
                for end, radii in ((self.starts, self.start_radii), (self.stops, self.stop_radii))
            ]
            lowest[:, place] = positions[:, joint, 1] + np.minimum(*ends)
        return lowest


def scale_of(skeleton: Skeleton) -> float:
    """The size of a body relative to the standard one.

    From the floor to the crown, but head bones end anywhere: it counts from the leg and the neck.
    """
    positions, _ = skeleton.reference_pose
    hip, head = (positions[skeleton.joint(part)][1] for part in ("left_thigh", "head"))
    # hips stand at 0.53 of a body's height, the top of the neck at 0.875
    return float(0.5 * (hip / 0.53 + head / 0.875)) / _HEIGHT


class _Tailor:
    """Collects cones given in the T-pose, in metres of the standard body."""

    def __init__(self, skeleton: Skeleton):
        missing = missing_parts(skeleton.parts)
        if missing:
            raise BodyPartError(
                f"a body needs its {', '.join(missing).replace('_', ' ')}; "
                f"the joints are: {', '.join(skeleton.names)}"
            )
        self.skeleton = skeleton
        self.positions, self.rotations = skeleton.reference_pose
        self.scale = scale_of(skeleton)
        self.rows: list[tuple[int, np.ndarray, np.ndarray, float, float, int, str]] = []

    def at(self, part: str) -> np.ndarray:
        """(3,) where a body part's joint is in the T."""
        return self.positions[self.skeleton.joint(part)]

    def between(self, part: str, other: str) -> np.ndarray:
        """(3,) the point half way between two joints."""
        return 0.5 * (self.at(part) + self.at(other))

    def tip(self, part: str) -> np.ndarray:
        """(3,) the end of a last bone in the T."""
        joint = self.skeleton.joint(part)
        return self.positions[joint] + rot.rotate(self.rotations[joint], self.skeleton.tips[joint])

    def on_floor(self, point: np.ndarray, radius: float) -> np.ndarray:
        """(3,) where a sphere above or below a point touches the floor."""
        return _toward(point[0], (radius - SOLE) * self.scale, point[2])

    def nearest(self, *parts: str) -> str:
        """The first of these parts that the skeleton has."""
        return next(part for part in parts if part in self.skeleton.parts)

    def add(
        self,
        part: str,
        start: np.ndarray,
        stop: np.ndarray,
        r0: float,
        r1: float,
        material: int,
        belongs: str = "",
    ) -> None:
        """A cone between two points of the T; radii are of the standard body."""
        joint = self.skeleton.joint(part)
        back = rot.inverse(self.rotations[joint])
        local = [rot.rotate(back, point - self.positions[joint]) for point in (start, stop)]
        bony = any(word in part for word in _BONY_PARTS)
        wide = self.scale * (1.0 if bony else self.skeleton.girth)
        self.rows.append((joint, *local, r0 * wide, r1 * wide, material, belongs or part))  # type: ignore[arg-type]

    def finish(self) -> Mannequin:
        joints, starts, stops, start_radii, stop_radii, materials, parts = zip(*self.rows)
        return Mannequin(
            self.skeleton,
            np.array(joints, dtype=np.int64),
            np.array(starts),
            np.array(stops),
            np.array(start_radii),
            np.array(stop_radii),
            np.array(materials, dtype=np.int64),
            parts,
        )


def _toward(left: float, up: float, forward: float) -> np.ndarray:
    return np.array([left, up, forward])


@lru_cache(maxsize=256)
def fit(skeleton: Skeleton) -> Mannequin:
    """The mannequin of a skeleton, or the cones that were fitted to the skin of its character."""
    if skeleton.flesh is not None:
        return _own_body(skeleton, skeleton.flesh)
    tailor = _Tailor(skeleton)
    _torso(tailor)
    _head(tailor)
    for side, outward in (("left", 1.0), ("right", -1.0)):
        _arm(tailor, side, outward)
        _leg(tailor, side, outward)
    if "weapon" in skeleton.parts:
        _sword(tailor)
    return tailor.finish()


def _own_body(skeleton: Skeleton, flesh: Flesh) -> Mannequin:
    return Mannequin(
        skeleton,
        flesh.cone_joints,
        flesh.cone_ends[:, 0],
        flesh.cone_ends[:, 1],
        flesh.cone_radii[:, 0],
        flesh.cone_radii[:, 1],
        np.full(len(flesh.cone_joints), SKIN, dtype=np.int64),
        flesh.cone_parts,
    )


@lru_cache(maxsize=256)
def outline(skeleton: Skeleton) -> Mannequin:
    """The shape to keep above the floor: the cones, or a skin's outermost points as cones of no size."""
    cones, flesh = fit(skeleton), skeleton.flesh
    if flesh is None:
        return cones
    named = {joint: part for part, joint in skeleton.parts.items()}
    words: list[str] = []
    for joint, parent in enumerate(skeleton.parents.tolist()):
        words.append(named.get(joint, words[parent] if parent >= 0 else "pelvis"))
    nothing = np.zeros(len(flesh.points))
    blade = np.array([part == "weapon" for part in cones.parts])
    return Mannequin(
        skeleton,
        np.concatenate([flesh.point_joints, cones.joints[blade]]),
        np.concatenate([flesh.points, cones.starts[blade]]),
        np.concatenate([flesh.points, cones.stops[blade]]),
        np.concatenate([nothing, cones.start_radii[blade]]),
        np.concatenate([nothing, cones.stop_radii[blade]]),
        np.full(len(nothing) + int(blade.sum()), SKIN, dtype=np.int64),
        (*(words[joint] for joint in flesh.point_joints.tolist()), *(["weapon"] * int(blade.sum()))),
    )


def _torso(t: _Tailor) -> None:
    s = t.scale
    hips, shoulders = t.between("left_thigh", "right_thigh"), t.between("left_upper_arm", "right_upper_arm")
    back = shoulders - hips
    waist, ribs, collar = hips + 0.28 * back, hips + 0.60 * back, hips + 0.94 * back
    middle = t.nearest("spine", "chest", "pelvis")
    chest = t.nearest("chest", "spine", "pelvis")
    t.add("pelvis", hips + 0.06 * back, hips + 0.20 * back, 0.1, 0.1, TROUSERS)
    breastbone = ribs + s * _toward(0.0, 0.0, 0.012)
    t.add(middle, hips + 0.30 * back, breastbone, 0.1, 0.098, SHIRT, "spine")
    t.add(chest, breastbone, collar + s * _toward(0.0, 0.01, -0.005), 0.098, 0.07, SHIRT, "chest")
    for side, outward in (("left", 1.0), ("right", -1.0)):
        out = _toward(outward, 0.0, 0.0)
        hip, shoulder = t.at(f"{side}_thigh"), t.at(f"{side}_upper_arm")
        half_hips, half_shoulders = abs(hip[0] - hips[0]), abs(shoulder[0] - shoulders[0])
        flank = hips + 0.75 * half_hips * out + s * _toward(0.0, 0.03, -0.005)
        t.add("pelvis", flank, hips + 0.22 * back + 0.05 * s * out, 0.105, 0.095, TROUSERS)
        seat = hips + s * _toward(0.065 * outward, -0.025, -0.055)
        t.add("pelvis", seat, seat, 0.082, 0.082, TROUSERS)
        t.add(middle, waist + 0.045 * s * out, ribs + 0.055 * s * out, 0.096, 0.1, SHIRT, "spine")
        top = collar + 0.62 * half_shoulders * out + s * _toward(0.0, -0.035, -0.005)
        t.add(chest, ribs + 0.058 * s * out, top, 0.102, 0.082, SHIRT, "chest")
        # the muscle that slopes from the neck to the shoulder, and the girdle that carries the arm
        girdle = t.nearest(f"{side}_shoulder", "chest", "spine", "pelvis")
        slope = shoulders + 0.3 * (t.at("head") - shoulders) + s * _toward(0.025 * outward, 0.0, -0.015)
        t.add(girdle, slope, shoulder + s * _toward(-0.02 * outward, 0.012, 0.0), 0.04, 0.05, SHIRT, "chest")
        t.add(girdle, top, shoulder + s * _toward(-0.01 * outward, -0.006, 0.0), 0.068, 0.052, SHIRT, "chest")


def _head(t: _Tailor) -> None:
    s = t.scale
    base = t.at("head")
    neck = t.nearest("neck", "chest", "spine", "pelvis")
    shoulders = t.between("left_upper_arm", "right_upper_arm")
    root = shoulders + s * _toward(0.0, 0.015, -0.005)
    t.add(neck, root, base + s * _toward(0.0, 0.01, 0.0), 0.06, 0.055, SKIN, "neck")

    def add(start: np.ndarray, stop: np.ndarray, r0: float, r1: float, material: int = SKIN) -> None:
        t.add("head", base + s * start, base + s * stop, r0, r1, material)

    # The skull is longer than wide; below it the face narrows to the chin.
    add(_toward(0.0, 0.083, 0.026), _toward(0.0, 0.085, -0.016), 0.075, 0.08)
    add(_toward(0.0, -0.022, 0.068), _toward(0.0, 0.048, 0.03), 0.03, 0.074)
    # Brow, nose and mouth, with dark eyes between them: which way a head looks is seen from afar.
    add(_toward(-0.026, 0.076, 0.086), _toward(0.026, 0.076, 0.086), 0.0135, 0.0135)
    add(_toward(0.0, 0.068, 0.098), _toward(0.0, 0.034, 0.117), 0.0095, 0.0145)
    add(_toward(-0.013, 0.002, 0.0925), _toward(0.013, 0.002, 0.0925), 0.0085, 0.0085)
    # Hair over the crown and the back, down to the nape.
    add(_toward(0.0, 0.103, 0.013), _toward(0.0, 0.1, -0.02), 0.074, 0.083, HAIR)
    add(_toward(0.0, 0.1, -0.02), _toward(0.0, 0.036, -0.034), 0.083, 0.066, HAIR)
    for side in (1.0, -1.0):
        # The jaw, the ear, hair before it, and the eye.
        add(_toward(0.012 * side, -0.02, 0.06), _toward(0.038 * side, 0.016, 0.01), 0.028, 0.036)
        add(_toward(0.079 * side, 0.036, -0.006), _toward(0.081 * side, 0.06, -0.01), 0.011, 0.015)
        add(_toward(0.054 * side, 0.097, 0.012), _toward(0.067 * side, 0.052, 0.006), 0.026, 0.013, HAIR)
        add(_toward(0.03 * side, 0.058, 0.0905), _toward(0.034 * side, 0.058, 0.089), 0.0085, 0.0085, HAIR)


def _arm(t: _Tailor, side: str, outward: float) -> None:
    s = t.scale
    shoulder, elbow, wrist = (t.at(f"{side}_{part}") for part in ("upper_arm", "forearm", "hand"))
    upper, lower = f"{side}_upper_arm", f"{side}_forearm"
    t.add(upper, shoulder, shoulder + 0.45 * (elbow - shoulder), 0.058, 0.05, SHIRT)
    t.add(upper, shoulder + 0.35 * (elbow - shoulder), elbow, 0.047, 0.04, SKIN)
    muscle = elbow + 0.25 * (wrist - elbow)
    t.add(lower, elbow, muscle, 0.04, 0.044, SKIN)
    t.add(lower, muscle, wrist, 0.044, 0.029, SKIN)
    # A loose fist: knuckles past the wrist, the thumb in front.
    hand = f"{side}_hand"
    out = _toward(outward * s, 0.0, 0.0)
    knuckles = wrist + 0.082 * out + s * _toward(0.0, -0.008, 0.0)
    t.add(hand, wrist + 0.02 * out, knuckles, 0.03, 0.041, GLOVES)
    thumb = wrist + 0.04 * out + s * _toward(0.0, -0.008, 0.034)
    t.add(hand, thumb, thumb + 0.042 * out + s * _toward(0.0, -0.012, 0.004), 0.019, 0.016, GLOVES)


def _leg(t: _Tailor, side: str, outward: float) -> None:
    s = t.scale
    thigh, shin, foot = f"{side}_thigh", f"{side}_shin", f"{side}_foot"
    hip, knee, ankle = (t.at(part) for part in (thigh, shin, foot))
    t.add(thigh, hip + s * _toward(0.0, -0.02, 0.0), knee, 0.088, 0.056, TROUSERS)
    t.add(shin, knee, ankle, 0.052, 0.036, TROUSERS)
    calf = knee + 0.18 * (ankle - knee) + s * _toward(0.0, 0.0, -0.018)
    t.add(shin, calf, knee + 0.5 * (ankle - knee) + s * _toward(0.0, 0.0, -0.016), 0.05, 0.042, TROUSERS)
    # Soles lie flat, below the lowest joint of the T-pose, at any height of the rig's toe joint.
    has_toes = f"{side}_toes" in t.skeleton.parts
    toes = f"{side}_toes" if has_toes else foot
    ball = t.at(toes) if has_toes else _toward(ankle[0], 0.0, ankle[2] + 0.13 * s)
    tip = t.tip(toes)
    if tip[2] - ball[2] < 0.03 * s:
        tip = ball + s * _toward(0.0, 0.0, 0.065)
    heel = _toward(ankle[0], 0.0, ankle[2] - 0.035 * s)
    t.add(foot, t.on_floor(heel, 0.044), t.on_floor(ball, 0.042), 0.044, 0.042, SHOES)
    t.add(foot, ankle + s * _toward(0.0, -0.012, 0.006), t.on_floor(ball, 0.04), 0.046, 0.034, SHOES)
    end = _toward(tip[0], 0.0, tip[2] - 0.012 * s)
    t.add(toes, t.on_floor(ball, 0.041), t.on_floor(end, 0.03), 0.041, 0.03, SHOES)


def _sword(t: _Tailor) -> None:
    """A grip for two hands, a guard, and a blade to the weapon's tip; a weapon without a tip is not drawn."""
    joint = t.skeleton.joint("weapon")
    length = float(np.linalg.norm(t.skeleton.tips[joint]))
    if length < 0.1 * t.scale:
        return
    hand, point = t.at("weapon"), t.tip("weapon")
    along = (point - hand) / length
    turned = t.rotations[joint]
    # the guard stands across the blade, along the weapon's own upright axis
    across = rot.rotate(turned, _toward(0.0, 1.0, 0.0))
    across = across - along * float(across @ along)
    across = across / max(float(np.linalg.norm(across)), 1e-6)
    guard = hand + 0.055 * t.scale * along
    t.add("weapon", hand - 0.215 * t.scale * along, guard, 0.017, 0.015, HAIR)
    t.add("weapon", guard - 0.05 * t.scale * across, guard + 0.05 * t.scale * across, 0.012, 0.012, WEAPON)
    t.add("weapon", guard, point, 0.017, 0.006, WEAPON)
