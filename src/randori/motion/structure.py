"""The limbs of a body from its tree alone: two legs, two arms, a trunk, for rigs whose names say nothing."""

import itertools
from collections.abc import Collection, Sequence
from functools import cached_property

import numpy as np

_SHORTEST_LIMB = 3  # joints: a thigh, a shin and a foot
_ALIKE_SHARE = 0.15  # two limbs of a pair may differ in length by this part
_NEARLY_SHARE = 0.8  # of the longest: an ankle is chosen before the toes beyond it
_ON_ONE_LINE = 0.98  # of the length along the bones lie between their ends
_CLEAR = 0.25  # sines of both knees and both feet together, on average over a motion
_SHORTER_BONE = 0.5  # of the longer one: a forearm beside its upper arm, a shin beside its thigh
_ARMS = (0.4, 1.6)  # of the legs, in length: cartoons have short legs
_HAND_WIDTH = 0.35  # of an arm: what lies beyond the wrist is shorter


class Tree:
    """The joints and what hangs on what, with the lengths of bones where they are known."""

    def __init__(
        self, parents: np.ndarray, offsets: np.ndarray | None = None, seen: np.ndarray | None = None
    ):
        self.parents = [int(parent) for parent in parents]
        self.offsets = offsets
        self.seen = seen  # (F, J, 3) where the joints are in some frames of the motion
        self._above: dict[int, list[int]] = {}

    def ancestors(self, joint: int) -> list[int]:
        """The joints above a joint, its parent first."""
        if joint not in self._above:
            above, upper = [], joint
            while (upper := self.parents[upper]) >= 0:
                above.append(upper)
            self._above[joint] = above
        return self._above[joint]

    def common_ancestor(self, a: int | None, b: int | None, itself: bool = False) -> int:
        """The lowest joint that is above both, or -1; `itself`: one of the two counts as well."""
        if a is None or b is None:
            return -1
        other = {*self.ancestors(b), *([b] if itself else [])}
        line = [*([a] if itself else []), *self.ancestors(a)]
        return next((joint for joint in line if joint in other), -1)

    @cached_property
    def children(self) -> list[list[int]]:
        lists: list[list[int]] = [[] for _ in self.parents]
        for joint, parent in enumerate(self.parents):
            if parent >= 0:
                lists[parent].append(joint)
        return lists

    @cached_property
    def lengths(self) -> np.ndarray:
        """(J,) from each joint to its parent; 1 where offsets are not known."""
        if self.offsets is None:
            return np.ones(len(self.parents))
        return np.linalg.norm(self.offsets, axis=-1)

    @cached_property
    def reach(self) -> np.ndarray:
        """(J,) along the bones to the farthest end below each joint."""
        reach = np.zeros(len(self.parents))
        for joint in range(len(self.parents) - 1, 0, -1):
            parent = self.parents[joint]
            reach[parent] = max(reach[parent], reach[joint] + self.lengths[joint])
        return reach

    @cached_property
    def rest(self) -> np.ndarray:
        """(J, 3) where the joints are when nothing is turned; zeros where offsets are not known."""
        places = np.zeros((len(self.parents), 3))
        if self.offsets is not None:
            for joint, parent in enumerate(self.parents):
                if parent >= 0:
                    places[joint] = places[parent] + self.offsets[joint]
        return places

    def longest_line(self, joint: int) -> list[int]:
        """A joint and, step by step, the child that reaches farthest."""
        line = [joint]
        while self.children[line[-1]]:
            line.append(
                max(self.children[line[-1]], key=lambda child: self.reach[child] + self.lengths[child])
            )
        return line

    def between(self, lower: int, upper: int) -> float:
        """Along the bones from a joint up to one of its ancestors."""
        total = 0.0
        while lower != upper:
            total += float(self.lengths[lower])
            lower = self.parents[lower]
        return total

    def top_of_trunk(
        self, shoulders: int, necks: Sequence[int] = (), ends: Collection[int] = ()
    ) -> int | None:
        """The head of a body without a joint of that name: the end of the line above the shoulders.

        It ends where it branches into a face. `necks` are joints that are known to be on it, `ends` are
        joints that only mark where a bone ends.
        """
        on_line = [joint for joint in necks if shoulders in self.ancestors(joint)]
        if not on_line:
            arms = {joint for pair in self.pairs(shoulders) for joint in pair}
            on_line = [
                child for child in self.children[shoulders] if child not in arms and self.children[child]
            ]
            if len(on_line) != 1:
                on_line = [child for child in self.children[shoulders] if child not in arms]
        if len(on_line) != 1:
            return None
        (joint,) = on_line
        while len(self.children[joint]) == 1 and self.children[joint][0] not in ends:
            (joint,) = self.children[joint]
        return joint

    def pairs(self, joint: int) -> list[tuple[int, int]]:
        """Children of a joint that could be the two sides of something: as long, with as long bones."""
        found = []
        for a, b in itertools.combinations(self.children[joint], 2):
            if min(len(self.longest_line(child)) for child in (a, b)) < _SHORTEST_LIMB:
                continue
            sizes = np.array([self._sizes(child) for child in (a, b)])
            if (np.abs(sizes[0] - sizes[1]) <= _ALIKE_SHARE * sizes.max(axis=0)).all():
                found.append((a, b))
        return sorted(found, key=lambda pair: -self.reach[pair[0]])

    def _sizes(self, child: int) -> list[float]:
        """How far a limb reaches, and its two longest bones."""
        bones = sorted(self.lengths[joint] for joint in self.longest_line(child)[1:])
        return [float(self.reach[child]), *map(float, bones[-2:])]

    def is_straight(self, lower: int, upper: int) -> bool:
        """Whether the bones from a joint up to one of its ancestors lie on one line all the time."""
        if self.parents[lower] == upper or self.offsets is None:
            return True
        chord = np.linalg.norm(self.poses[:, lower] - self.poses[:, upper], axis=-1)
        return bool(chord.min() > _ON_ONE_LINE * self.between(lower, upper))

    @property
    def poses(self) -> np.ndarray:
        """(F, J, 3) where the joints are: in some frames, or when nothing is turned."""
        return self.rest[None] if self.seen is None or not len(self.seen) else self.seen


def find_limbs(tree: Tree, sides: Sequence[str]) -> dict[str, int]:
    """Arms and legs of a body by its shape; `sides` is what the names say of each joint.

    Empty where the tree does not look like a body, or where left and right cannot be told apart.
    """
    branches = [(joint, pairs[0]) for joint in range(len(tree.parents)) if (pairs := tree.pairs(joint))]
    # 1. Of all pairs of limbs, legs and arms: the two that reach farthest, neither inside the other.
    best: tuple[float, tuple[int, int], tuple[int, int]] | None = None
    for (upper, first), (lower, second) in itertools.permutations(branches, 2):
        inside = any(leg in (lower, *tree.ancestors(lower)) for leg in first)
        if inside or any(arm in (upper, *tree.ancestors(upper)) for arm in second):
            continue
        # arms hang farther up the trunk than legs, beside a neck
        if len(tree.ancestors(lower)) <= len(tree.ancestors(upper)):
            continue
        size = float(min(tree.reach[first[0]], tree.reach[first[1]]) + tree.reach[second[0]])
        if best is None or size > best[0]:
            best = size, first, second
    if best is None:
        return {}
    _, legs, arms = best

    # 2. Which is the left one.
    feet = [_joints_of_leg(tree, leg) for leg in legs]
    lines = [_line_of_arm(tree, arm) for arm in arms]
    collars = _joints_of_collar(tree, lines, feet)
    hands = [_two_longest(tree, line[collars:]) for line in lines]
    if not _are_limbs(tree, feet, hands):
        return {}
    left_leg = _left_by_names(tree, legs, sides)
    left_arm = _left_by_names(tree, arms, sides)
    if left_leg is None or left_arm is None:
        left = _left_by_poses(tree, feet, hands)
        if left is None:
            return {}
        left_leg, left_arm = left
    found: dict[str, int] = {}
    for side, leg, arm in (("left", left_leg, left_arm), ("right", 1 - left_leg, 1 - left_arm)):
        found |= {f"{side}_{part}": joint for part, joint in zip(("thigh", "shin", "foot"), feet[leg])}
        found |= {
            f"{side}_{part}": joint for part, joint in zip(("upper_arm", "forearm", "hand"), hands[arm])
        }
    return found


def _are_limbs(
    tree: Tree, feet: Sequence[tuple[int, int, int]], hands: Sequence[tuple[int, int, int]]
) -> bool:
    """Whether the bones of two legs and two arms have lengths that a body could have."""
    if tree.offsets is None:
        return True
    totals = []
    for pair in (feet, hands):
        bones = np.array(
            [[tree.between(middle, upper), tree.between(lower, middle)] for upper, middle, lower in pair]
        )
        if (np.abs(bones[0] - bones[1]) > _ALIKE_SHARE * bones.max(axis=0)).any():
            return False
        if (bones.min(axis=1) < _SHORTER_BONE * bones.max(axis=1)).any():
            return False
        totals.append(float(bones.sum()))
    shortest, longest = _ARMS
    return shortest * totals[0] < totals[1] < longest * totals[0]


def _joints_of_leg(tree: Tree, start: int) -> tuple[int, int, int]:
    """Thigh, shin and foot: the two longest bones one after the other."""
    return _two_longest(tree, tree.longest_line(start))


def _line_of_arm(tree: Tree, start: int) -> list[int]:
    """The joints of an arm. Fingers hang on the hand, so it ends where it branches."""
    line = tree.longest_line(start)
    total = tree.between(line[-1], line[0])
    for place, joint in enumerate(line[2:], 2):
        if len(tree.children[joint]) > 1 and tree.reach[joint] < _HAND_WIDTH * total:
            return line[: place + 1]
    return line


def _joints_of_collar(tree: Tree, lines: Sequence[list[int]], feet: Sequence[tuple[int, int, int]]) -> int:
    """The number of joints before the shoulders on both arms: shoulders are at least as far apart as hips."""

    def apart(a: int, b: int) -> float:
        return float(np.linalg.norm(tree.poses[:, a] - tree.poses[:, b], axis=-1).mean())

    hips = apart(feet[0][0], feet[1][0])
    most = min(map(len, lines)) - _SHORTEST_LIMB
    return next((place for place in range(most) if apart(lines[0][place], lines[1][place]) >= hips), most)


def _two_longest(tree: Tree, line: list[int]) -> tuple[int, int, int]:
    """The joints of the two longest bones one after the other; of several ways the one that ends first.

    A bone may have joints in it that only twist: they stay on one line.
    """
    ways = []
    for upper, middle, lower in itertools.combinations(line, 3):
        if tree.is_straight(middle, upper) and tree.is_straight(lower, middle):
            bones = tree.between(middle, upper), tree.between(lower, middle)
            ways.append((min(bones), line.index(lower), max(bones) - min(bones), (upper, middle, lower)))
    longest = max(shorter for shorter, *_ in ways)
    return min(way[1:] for way in ways if way[0] >= _NEARLY_SHARE * longest)[-1]


def _left_by_names(tree: Tree, pair: tuple[int, int], sides: Sequence[str]) -> int | None:
    """The left one of two limbs by the names of its joints; None if the names do not say."""
    votes = []
    for limb in pair:
        own = [sides[joint] for joint in tree.longest_line(limb)]
        votes.append(own.count("left") - own.count("right"))
    return None if votes[0] == votes[1] else int(votes[1] > votes[0])


def _left_by_poses(
    tree: Tree, feet: Sequence[tuple[int, int, int]], hands: Sequence[tuple[int, int, int]]
) -> tuple[int, int] | None:
    """The left one of both legs and of both arms: knees bend one way only, and toes point forward.

    None where all legs are straight and end at the ankle.
    """
    poses = tree.poses
    across = poses[:, feet[0][0]] - poses[:, feet[1][0]]  # between the hips
    to_left = np.zeros(len(poses))
    for hip, knee, ankle in feet:
        toe = tree.longest_line(ankle)[-1]
        thigh, shin = poses[:, knee] - poses[:, hip], poses[:, ankle] - poses[:, knee]
        # A shin is bent back against its thigh, a foot forward against its shin: both span planes
        # whose normals point to the side.
        for normal, sign in (
            (_normal(thigh, shin), 1.0),
            (_normal(shin, poses[:, toe] - poses[:, ankle]), -1.0),
        ):
            to_left += sign * np.sum(normal * across, axis=-1)
    clear = float(to_left.mean()) / max(float(np.linalg.norm(across, axis=-1).mean()), 1e-12)
    if abs(clear) < _CLEAR:
        return None
    between_arms = poses[:, list(hands[0])].mean(axis=1) - poses[:, list(hands[1])].mean(axis=1)
    alike = np.sum(across * between_arms, axis=-1).mean()
    left_leg = int(clear < 0.0)
    return left_leg, left_leg if alike > 0.0 else 1 - left_leg


def _normal(a: np.ndarray, b: np.ndarray) -> np.ndarray:
    """(F, 3) across two directions, as long as the sine between them."""
    size = np.linalg.norm(a, axis=-1, keepdims=True) * np.linalg.norm(b, axis=-1, keepdims=True)
    return np.asarray(np.cross(a, b) / np.maximum(size, 1e-12))
