"""The limbs of a body from its tree alone: two legs, two arms, a trunk, for rigs whose names say nothing."""

import itertools
from collections.abc import Collection, Sequence
from functools import cached_property

import numpy as np

_SHORTEST_LIMB = 3  # joints: a thigh, a shin and a foot
_ALIKE = 0.15  # two limbs of a pair may differ in length by this part
_NEARLY = 0.8  # of the longest: an ankle is chosen before the toes beyond it
_HAND_WIDTH = 0.35  # of an arm: what lies beyond the wrist is shorter


class Tree:
    """The joints and what hangs on what, with the lengths of bones where they are known."""

    def __init__(self, parents: np.ndarray, offsets: np.ndarray | None = None):
        self.parents = [int(parent) for parent in parents]
        self.offsets = offsets
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
        """Children of a joint that could be the two sides of something: as long and as many joints."""
        found = []
        for a, b in itertools.combinations(self.children[joint], 2):
            lines = self.longest_line(a), self.longest_line(b)
            if len(lines[0]) != len(lines[1]) or len(lines[0]) < _SHORTEST_LIMB:
                continue
            reach = [self.reach[child] + self.lengths[child] for child in (a, b)]
            if abs(reach[0] - reach[1]) <= _ALIKE * max(reach):
                found.append((a, b))
        return sorted(found, key=lambda pair: -self.reach[pair[0]])


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
    found: dict[str, int] = {}
    feet = [_joints_of_leg(tree, leg) for leg in legs]
    hands = [_joints_of_arm(tree, arm) for arm in arms]
    left_leg = _left_by_names(tree, legs, sides)
    left_arm = _left_by_names(tree, arms, sides)
    if left_leg is None or left_arm is None:
        left = _left_by_places(tree, feet)
        if left is None:
            return {}
        spans = [[tree.rest[limb[0]] @ left for limb in pair] for pair in (feet, hands)]
        left_leg, left_arm = (int(np.argmax(span)) for span in spans)
    for side, leg, arm in (("left", left_leg, left_arm), ("right", 1 - left_leg, 1 - left_arm)):
        found |= {f"{side}_{part}": joint for part, joint in zip(("thigh", "shin", "foot"), feet[leg])}
        found |= {
            f"{side}_{part}": joint for part, joint in zip(("upper_arm", "forearm", "hand"), hands[arm])
        }
    return found


def _joints_of_leg(tree: Tree, start: int) -> tuple[int, int, int]:
    """Thigh, shin and foot: the two longest bones one after the other."""
    return _two_longest(tree, tree.longest_line(start))


def _joints_of_arm(tree: Tree, start: int) -> tuple[int, int, int]:
    """Upper arm, forearm and hand. Fingers hang on the hand, so an arm ends where it branches."""
    line = tree.longest_line(start)
    total = tree.between(line[-1], line[0])
    for place, joint in enumerate(line[2:], 2):
        if len(tree.children[joint]) > 1 and tree.reach[joint] < _HAND_WIDTH * total:
            line = line[: place + 1]
            break
    return _two_longest(tree, line)


def _two_longest(tree: Tree, line: list[int]) -> tuple[int, int, int]:
    """The joints of the two longest bones one after the other; of several ways the one that ends first."""
    ways = []
    for upper, middle, lower in itertools.combinations(line, 3):
        bones = tree.between(middle, upper), tree.between(lower, middle)
        ways.append((min(bones), line.index(lower), max(bones) - min(bones), (upper, middle, lower)))
    longest = max(shorter for shorter, *_ in ways)
    return min(way[1:] for way in ways if way[0] >= _NEARLY * longest)[-1]


def _left_by_names(tree: Tree, pair: tuple[int, int], sides: Sequence[str]) -> int | None:
    """The left one of two limbs by the names of its joints; None if the names do not say."""
    votes = []
    for limb in pair:
        own = [sides[joint] for joint in tree.longest_line(limb)]
        votes.append(own.count("left") - own.count("right"))
    return None if votes[0] == votes[1] else int(votes[1] > votes[0])


def _left_by_places(tree: Tree, feet: Sequence[tuple[int, int, int]]) -> np.ndarray | None:
    """(3,) the direction of left in the rest pose: toes point forward, legs point down."""
    down, forward = np.zeros(3), np.zeros(3)
    for thigh, _, foot in feet:
        down += tree.rest[foot] - tree.rest[thigh]
        forward += tree.rest[tree.longest_line(foot)[-1]] - tree.rest[foot]
    size = np.linalg.norm(down)
    if size == 0.0:
        return None
    up = -down / size
    forward -= up * (forward @ up)
    left = np.cross(up, forward)
    return left if np.linalg.norm(left) > 0.02 * size else None
