"""Round cones and capsules fitted to the skin of a character, in its T.

Points are spread over the triangles by area, and each belongs to the body part whose joint it follows most.
Along a limb, the middle of the points and their mean distance from it give a cone. The trunk and the head
are wider than they are deep: they are cut into levels, and between two levels stand up to three cones side
by side.
"""

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np

from randori.body.capsules import CAPSULES
from randori.characters.surface import Surface
from randori.motion import rotations as rot
from randori.motion.parts import SIDES
from randori.motion.skeleton import Flesh, Skeleton

_GRAIN = 0.012  # of the height: how far apart points on a triangle are
_MOST_STEPS = 12  # along an edge of a triangle: no mesh is as coarse as that
_FEWEST_POINTS = 12  # points that show a shape
_WIDE_RATIO = 1.2  # times as wide as deep: from here on there are cones side by side
_VERY_WIDE = 2.2  # … and one more in the middle
_LEVELS = (0.0, 0.34, 0.67, 0.96)  # of the back, from the hips to the shoulders
_ARM_START = 1.8  # of the way from the middle to a shoulder's joint: what is farther out is the arm
_DIRECTIONS = 48  # in which the outermost points of a joint's skin are looked for
_THINNEST_PART = 0.012  # metres: no part is thinner, even if the mesh has gaps
_ABSENT_RADIUS = -1.0  # radius of a weapon that the character does not hold
_BLADE = 0.015  # metres


@dataclass(frozen=True, eq=False)
class _Points:
    """Points on the skin in the T, which looks along +Z, the left hand along +X."""

    at: np.ndarray  # (P, 3) metres, the soles at 0
    area: np.ndarray  # (P,) square metres that each stands for
    part: np.ndarray  # (P,) the body part, an index into `parts`
    colour: np.ndarray  # (P, 3) sRGB
    parts: tuple[str, ...]

    def of(self, *names: str) -> "_Points":
        """The cones of some body parts."""
        wanted = [self.parts.index(name) for name in names if name in self.parts]
        return self.where(np.isin(self.part, wanted))

    def where(self, chosen: np.ndarray) -> "_Points":
        return _Points(self.at[chosen], self.area[chosen], self.part[chosen], self.colour[chosen], self.parts)

    def __len__(self) -> int:
        return len(self.at)


class _Cone(NamedTuple):
    part: str  # whose joint carries it
    start: np.ndarray  # (3,) metres, in the T
    stop: np.ndarray
    start_radius: float
    stop_radius: float
    colour: np.ndarray  # (3,)


class _Slice(NamedTuple):
    """The outline of the trunk or the head at a height."""

    y: float
    x: float  # the middle
    z: float
    half_width: float
    half_depth: float


def fit_flesh(skeleton: Skeleton, surface: Surface, colours: np.ndarray) -> Flesh:
    """The flesh of a skeleton whose skin is a surface, with colours (T, 3) sRGB of its triangles."""
    places, turned = skeleton.forward(np.zeros((1, 3)), skeleton.to_local(skeleton.reference)[None])
    skin = surface.place(places, turned)[0]
    body = skin[surface.flesh]
    floor, top = float(body[:, 1].min()), float(body[:, 1].max())
    places = places[0] - np.array([0.0, floor, 0.0])
    points = _spread(skeleton, surface, skin - np.array([0.0, floor, 0.0]), colours)
    tailor = _Tailor(skeleton, places, points)
    tailor.trunk()
    tailor.head()
    for side in SIDES:
        tailor.arm(side)
        tailor.leg(side)
    tailor.weapon()
    cones, capsules = tailor.cones, tailor.capsules()
    joints = np.array([skeleton.joint(cone.part) for cone in cones], dtype=np.int64)
    ends = np.array([[cone.start, cone.stop] for cone in cones])
    carrying = np.array([skeleton.joint(part) for part, *_ in capsules], dtype=np.int64)
    struck = np.array([[start, stop] for _, start, stop, _ in capsules])

    def in_joints(points: np.ndarray, own: np.ndarray) -> np.ndarray:
        return rot.rotate(rot.inverse(turned[0][own])[:, None], points - places[own][:, None])

    outermost = _outermost(surface, skin)
    followed = surface.heaviest[outermost]
    above_floor = skin[outermost] - np.array([0.0, floor, 0.0])
    return Flesh(
        floor=floor,
        height=top - floor,
        cone_joints=joints,
        cone_ends=in_joints(ends, joints),
        cone_radii=np.array([[cone.start_radius, cone.stop_radius] for cone in cones]),
        cone_colours=np.array([cone.colour for cone in cones]),
        cone_parts=tuple(cone.part for cone in cones),
        capsule_joints=carrying,
        capsule_ends=in_joints(struck, carrying),
        capsule_radii=np.array([radius for *_, radius in capsules]),
        point_joints=followed,
        points=in_joints(above_floor[:, None], followed)[:, 0],
    )


def _outermost(surface: Surface, skin: np.ndarray) -> np.ndarray:
    """(P,) the vertices of each joint's skin that are farthest out in some direction."""
    turn = np.pi * (3.0 - np.sqrt(5.0)) * np.arange(_DIRECTIONS)
    height = 1.0 - 2.0 * (np.arange(_DIRECTIONS) + 0.5) / _DIRECTIONS
    level = np.sqrt(1.0 - height**2)
    directions = np.stack([level * np.cos(turn), height, level * np.sin(turn)])
    heaviest = surface.heaviest
    found = []
    for joint in np.unique(heaviest[surface.flesh]).tolist():
        own = np.flatnonzero((heaviest == joint) & surface.flesh)
        found.append(own[np.unique((skin[own] @ directions).argmax(axis=0))])
    return np.concatenate(found)


def part_of_joints(skeleton: Skeleton) -> list[str]:
    """(J,) the body part that each joint belongs to: its own, or that of the nearest joint above."""
    named = {joint: part for part, joint in skeleton.parts.items()}
    parts: list[str] = []
    for joint, parent in enumerate(skeleton.parents.tolist()):
        parts.append(named.get(joint, parts[parent] if parent >= 0 else "pelvis"))
    return parts


def _spread(skeleton: Skeleton, surface: Surface, skin: np.ndarray, colours: np.ndarray) -> _Points:
    """Points on every triangle of the body, the more the larger it is."""
    of_body = surface.flesh[surface.triangles].all(axis=1)
    triangles, own_colours = surface.triangles[of_body], colours[of_body]
    corners = skin[triangles]
    sides = np.linalg.norm(corners - np.roll(corners, 1, axis=1), axis=2)
    area = 0.5 * np.linalg.norm(
        np.cross(corners[:, 1] - corners[:, 0], corners[:, 2] - corners[:, 0]), axis=1
    )
    words = part_of_joints(skeleton)
    parts = tuple(dict.fromkeys(words))
    follows = np.array([parts.index(word) for word in words])[surface.heaviest[triangles]]
    grain = _GRAIN * float(np.ptp(skin[surface.flesh][:, 1]))
    steps = np.clip(np.ceil(sides.max(axis=1) / grain), 1, _MOST_STEPS).astype(np.int64)
    rows = []
    for step in np.unique(steps).tolist():
        chosen = np.flatnonzero(steps == step)
        places = _grid(step)
        at = np.einsum("ck,tkd->tcd", places, corners[chosen])
        nearest = follows[chosen][:, places.argmax(axis=1)]
        rows.append(
            (
                at.reshape(-1, 3),
                np.repeat(area[chosen] / len(places), len(places)),
                nearest.reshape(-1),
                np.repeat(own_colours[chosen], len(places), axis=0),
            )
        )
    at, areas, own_parts, light = (np.concatenate(column) for column in zip(*rows))
    return _Points(at, areas, own_parts, light, parts)


def _grid(steps: int) -> np.ndarray:
    """(N, 3) weights of a triangle's corners: the middles of the small triangles that it is cut into."""
    rows = []
    for i in range(steps):
        for j in range(steps - i):
            rows.append((i + 1 / 3, j + 1 / 3))
            if i + j < steps - 1:
                rows.append((i + 2 / 3, j + 2 / 3))
    u, v = np.array(rows).T / steps
    return np.stack([u, v, 1.0 - u - v], axis=1)


class _Tailor:
    """Collects cones."""

    def __init__(self, skeleton: Skeleton, places: np.ndarray, points: _Points):
        self.skeleton, self.places, self.points = skeleton, places, points
        self.cones: list[_Cone] = []
        self.boxes: dict[str, tuple[np.ndarray, np.ndarray, float]] = {}  # capsules found on the way

    def at(self, part: str) -> np.ndarray:
        return self.places[self.skeleton.joint(part)]

    def nearest(self, *parts: str) -> str:
        return next(part for part in parts if part in self.skeleton.parts)

    def trunk(self) -> None:
        """Levels from the hips to the shoulders, and cones from each to the next."""
        hips = 0.5 * (self.at("left_thigh") + self.at("right_thigh"))
        shoulders = 0.5 * (self.at("left_upper_arm") + self.at("right_upper_arm"))
        back = shoulders - hips
        names = ["pelvis", "spine", "chest", "neck", *(f"{side}_shoulder" for side in SIDES)]
        trunk = self.points.of(*names)
        half = abs(self.at("left_upper_arm")[0] - shoulders[0])
        trunk = trunk.where(np.abs(trunk.at[:, 0] - shoulders[0]) < _ARM_START * half)
        step = float(np.linalg.norm(back)) * 0.2
        slices = []
        for level in _LEVELS:
            middle = hips + level * back
            near = trunk.where(np.abs(trunk.at[:, 1] - middle[1]) < step)
            slices.append(_outline(near, middle, 0.12 * float(np.linalg.norm(back))))
        carriers = (
            "pelvis",
            self.nearest("spine", "chest", "pelvis"),
            self.nearest("chest", "spine", "pelvis"),
        )
        for carrier, lower, upper in zip(carriers, slices[:-1], slices[1:]):
            self._columns(carrier, lower, upper, trunk)
        for name, low, high in (("lower_torso", slices[0], slices[1]), ("upper_torso", slices[1], slices[3])):
            radius = 0.5 * sum(np.sqrt(one.half_width * one.half_depth) for one in (low, high))
            start, stop = (np.array([one.x, one.y, one.z]) for one in (low, high))
            self.boxes[name] = (start, stop, max(float(radius), _THINNEST_PART))
        neck = self.nearest("neck", "head")
        if neck == "neck":
            self._limb("neck", self.at("neck"), self.at("head"))

    def head(self) -> None:
        """Two levels of the head, with cones between them."""
        points = self.points.of("head")
        if len(points) < _FEWEST_POINTS:
            start = self.at("head")
            radius = 0.09 * float(self.points.at[:, 1].max()) / 1.75
            points = self.points.where(self.points.at[:, 1] > start[1])
            points = points if len(points) else self.points
        low, high = (_share(points.at[:, 1], points.area, share) for share in (0.02, 0.995))
        middle = np.array([*_mean(points)])
        outline = _outline(points, middle, 0.05 * float(self.points.at[:, 1].max()))
        radius = max(min(outline.half_depth, outline.half_width, 0.5 * (high - low)), _THINNEST_PART)
        bottom, top = low + radius, high - radius
        levels = []
        for y in (bottom, top):
            near = points.where(np.abs(points.at[:, 1] - y) < 0.5 * radius + 0.01)
            seen = _outline(near, np.array([middle[0], y, middle[2]]), radius)
            levels.append(seen._replace(y=y, half_depth=min(seen.half_depth, 1.05 * radius)))
        self._columns("head", levels[0], levels[1], points)
        wide = min(np.sqrt(outline.half_width * outline.half_depth), 0.5 * (high - low))
        start, stop = (np.array([outline.x, y, outline.z]) for y in (low + wide, high - wide))
        self.boxes["head"] = (start, stop, float(wide))

    def arm(self, side: str) -> None:
        outward = np.array([1.0 if side == "left" else -1.0, 0.0, 0.0])
        for part, after in (("upper_arm", "forearm"), ("forearm", "hand")):
            self._limb(f"{side}_{part}", self.at(f"{side}_{part}"), self.at(f"{side}_{after}"))
        hand, points = self.at(f"{side}_hand"), self.points.of(f"{side}_hand")
        along = (points.at - hand) @ outward
        arm = float(np.linalg.norm(self.at(f"{side}_hand") - self.at(f"{side}_upper_arm")))
        reach = _share(along, points.area, 0.97) if len(points) >= _FEWEST_POINTS else 0.3 * arm
        stop = hand + max(reach, 0.05 * arm) * outward
        self._limb(f"{side}_hand", hand, stop, inside=True)

    def leg(self, side: str) -> None:
        for part, after in (("thigh", "shin"), ("shin", "foot")):
            self._limb(f"{side}_{part}", self.at(f"{side}_{part}"), self.at(f"{side}_{after}"))
        ankle = self.at(f"{side}_foot")
        points = self.points.of(f"{side}_foot", f"{side}_toes")
        points = points.where(points.at[:, 1] < max(1.1 * ankle[1], 0.02))
        if len(points) < _FEWEST_POINTS:
            points = self.points.where(self.points.at[:, 1] < 1.1 * ankle[1])
            points = points.where(np.sign(points.at[:, 0]) == np.sign(ankle[0]))
        heel, toe = (_share(points.at[:, 2], points.area, share) for share in (0.03, 0.97))
        front = points.where(points.at[:, 2] > 0.5 * (heel + toe))
        rear = points.where(points.at[:, 2] <= 0.5 * (heel + toe))
        ends, radii = [], []
        for half, z, inward in ((rear, heel, 1.0), (front, toe, -1.0)):
            width = _share(half.at[:, 0], half.area, 0.95) - _share(half.at[:, 0], half.area, 0.05)
            height = _share(half.at[:, 1], half.area, 0.95)
            radius = max(min(0.5 * width, 0.5 * height, 0.3 * (toe - heel)), _THINNEST_PART)
            x = _share(half.at[:, 0], half.area, 0.5)
            ends.append(np.array([x, radius, z + inward * radius]))
            radii.append(radius)
        colour = _colour(points)
        self.cones.append(_Cone(f"{side}_foot", ends[0], ends[1], radii[0], radii[1], colour))
        self.boxes[f"{side}_foot"] = (ends[0], ends[1], float(np.mean(radii)))

    def weapon(self) -> None:
        """A thin cone from the pommel to the point."""
        points = self.points.of("weapon")
        if "weapon" not in self.skeleton.parts or len(points) == 0:
            return
        hand, joint = self.at("weapon"), self.skeleton.joint("weapon")
        along = rot.normalize(rot.rotate(self.skeleton.reference[joint], self.skeleton.tips[joint]))
        far = (points.at - hand) @ along
        ends = hand + float(far.min()) * along, hand + float(far.max()) * along
        self.cones.append(_Cone("weapon", *ends, _BLADE, 0.5 * _BLADE, _colour(points)))

    def capsules(self) -> list[tuple[str, np.ndarray, np.ndarray, float]]:
        """(part, start, stop, radius) in the order of CAPSULES."""
        carrier = {
            "upper_torso": self.nearest("chest", "spine", "pelvis"),
            "lower_torso": "pelvis",
        }
        rows = []
        for name in CAPSULES[:-1]:
            rows.append((carrier.get(name, name), *self.boxes[name]))
        if "weapon" in self.skeleton.parts:
            start = self.at("weapon")
            joint = self.skeleton.joint("weapon")
            tip = start + rot.rotate(self.skeleton.reference[joint], self.skeleton.tips[joint])
            rows.append(("weapon", start, tip, _BLADE))
        else:
            hand = self.at("right_hand")
            rows.append(("right_hand", hand, hand, _ABSENT_RADIUS))
        return rows

    def _limb(self, part: str, start: np.ndarray, stop: np.ndarray, inside: bool = False) -> None:
        """A cone along a bone; `inside`: its ends lie within the flesh, as those of a hand do."""
        points = self.points.of(part)
        bone = stop - start
        length = float(np.linalg.norm(bone))
        if length < 1e-6:
            return
        axis = bone / length
        along = (points.at - start) @ axis / length
        points, along = points.where(np.abs(along - 0.5) < 0.75), along[np.abs(along - 0.5) < 0.75]
        middles, radii = [], []
        for first, last in ((-0.25, 0.5), (0.5, 1.25)):
            near = points.where((along >= first) & (along <= last))
            if len(near) < _FEWEST_POINTS:
                near = points
            if len(near) < _FEWEST_POINTS or near.area.sum() <= 0.0:
                middles.append(np.zeros(3))
                radii.append(max(0.15 * length, _THINNEST_PART))
                continue
            across = near.at - start
            across = across - (across @ axis)[:, None] * axis
            weight = near.area / near.area.sum()
            middle = weight @ across
            middles.append(middle)
            radii.append(max(float(weight @ np.linalg.norm(across - middle, axis=1)), _THINNEST_PART))
        begin, end = start + middles[0], stop + middles[1]
        if inside:
            slack = min(radii[1], 0.45 * length)
            begin, end = begin + min(0.5 * radii[0], 0.3 * length) * axis, end - slack * axis
        colour = _colour(points if len(points) else self.points)
        self.cones.append(_Cone(part, begin, end, radii[0], radii[1], colour))
        if part in CAPSULES:
            self.boxes[part] = (begin, end, float(np.mean(radii)))

    def _columns(self, carrier: str, lower: _Slice, upper: _Slice, points: _Points) -> None:
        """Cones side by side between two outlines."""
        wide = max(one.half_width / one.half_depth for one in (lower, upper))
        shares = [0.0] if wide < _WIDE_RATIO else [-1.0, 1.0] if wide < _VERY_WIDE else [-1.0, 0.0, 1.0]
        for share in shares:
            ends = []
            for one in (lower, upper):
                out = share * max(one.half_width - one.half_depth, 0.0)
                ends.append(np.array([one.x + out, one.y, one.z]))
            near = points.where(
                (points.at[:, 1] > lower.y - 0.05)
                & (points.at[:, 1] < upper.y + 0.05)
                & ((points.at[:, 0] - lower.x) * share >= -0.02)
            )
            colour = _colour(near if len(near) else points)
            self.cones.append(_Cone(carrier, ends[0], ends[1], lower.half_depth, upper.half_depth, colour))


def _outline(points: _Points, middle: np.ndarray, otherwise: float) -> _Slice:
    """The outline of some points about a height; `otherwise` is the radius where there are too few."""
    if len(points) < _FEWEST_POINTS:
        return _Slice(float(middle[1]), float(middle[0]), float(middle[2]), otherwise, otherwise)
    left, right = (_share(points.at[:, 0], points.area, share) for share in (0.04, 0.96))
    rear, front = (_share(points.at[:, 2], points.area, share) for share in (0.04, 0.96))
    width, depth = max(0.5 * (right - left), _THINNEST_PART), max(0.5 * (front - rear), _THINNEST_PART)
    return _Slice(float(middle[1]), 0.5 * (left + right), 0.5 * (rear + front), width, min(width, depth))


def _share(values: np.ndarray, area: np.ndarray, share: float) -> float:
    """The value below which a share of the area lies."""
    order = np.argsort(values, kind="stable")
    total = np.cumsum(area[order])
    if len(total) == 0 or total[-1] <= 0.0:
        return float(np.mean(values)) if len(values) else 0.0
    return float(values[order[min(int(np.searchsorted(total, share * total[-1])), len(order) - 1)]])


def _mean(points: _Points) -> np.ndarray:
    total = points.area.sum()
    return (points.area / total) @ points.at if total > 0.0 else points.at.mean(axis=0)


def _colour(points: _Points) -> np.ndarray:
    total = points.area.sum()
    return (points.area / total) @ points.colour if total > 0.0 else np.full(3, 0.6)
