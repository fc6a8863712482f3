"""From a scene of nodes that move (glTF, FBX, USD) to recordings of the bodies in it."""

import os
import re
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from randori.errors import FileError
from randori.formats.files import quote
from randori.formats.recording import LARGEST_VALUE, MOST_JOINTS, Recording
from randori.formats.settling import settle
from randori.motion import rotations as rot
from randori.motion.parts import find_parts
from randori.motion.skeleton import Skeleton
from randori.motion.t_pose import rest_pose_stands

MOST_POSES = 10_000_000  # frames times joints: an hour of sixty joints at 46 frames a second
MOST_FRAMES = 2_000_000
_FEWEST_JOINTS = 8  # of a body: less is a prop, a camera, a tail
BONE_END = re.compile(r"(?i)(?:^|[_. ])(?:end|nub|end ?site|tip)\d*$|_end$|(?<=[a-z])(?:End|Nub)$")


@dataclass(frozen=True, eq=False)
class Motion:
    """One animation: how every node lies on its parent, frame by frame."""

    name: str
    fps: float
    places: np.ndarray  # (F, N, 3) units of the file
    turns: np.ndarray  # (F, N, 4)
    scales: np.ndarray  # (F, N, 3)
    moved: np.ndarray  # (N,) bool, the animation says something about the node


@dataclass(frozen=True, eq=False)
class NodeScene:
    """A tree of nodes. Parents stand before their children."""

    names: tuple[str, ...]
    parents: np.ndarray  # (N,) int64, -1 for a node at the top
    bones: np.ndarray  # (N,) bool, nodes that are joints of a skeleton
    rest: Motion  # one frame: how the nodes lie without an animation
    motions: Sequence[Motion]
    unit: float | None = None  # metres
    up: str | None = None
    parts: Mapping[str, int] = field(default_factory=dict)  # body parts that the file itself names
    floor_known: bool = False  # Randori wrote the file, so its floor is at zero already


def to_recordings(path: str | os.PathLike[str], scene: NodeScene) -> list[Recording]:
    """The recordings of a scene: one for each animation of each body in it."""
    if not scene.motions:
        raise FileError(path, "there is no animation in it; a recording needs one")
    bodies = find_bodies(scene)
    if not bodies:
        raise FileError(path, f"there is no skeleton of at least {_FEWEST_JOINTS} joints in it")
    recordings = []
    for number, body in enumerate(bodies):
        for motion in scene.motions:
            if motion.moved[body].any():
                name = motion.name if len(bodies) == 1 else f"{motion.name} {number + 1}"
                recordings.append(_to_recording(path, scene, body, motion, name))
    if not recordings:
        raise FileError(path, "its animations move no skeleton")
    return _with_own_names(recordings)


def find_bodies(scene: NodeScene) -> list[np.ndarray]:
    """The nodes of each skeleton, its root first."""
    parents = scene.parents
    bones = scene.bones.copy()
    if not bones.any():  # a skeleton of plain nodes: all that move
        for motion in scene.motions:
            bones |= motion.moved
    # Step 1. Everything between two bones is a bone as well.
    count = len(parents)
    holds = bones.copy()
    for node in range(count - 1, -1, -1):
        if holds[node] and parents[node] >= 0:
            holds[parents[node]] = True
    inside = bones.copy()
    for node in range(count):
        inside[node] |= bool(parents[node] >= 0 and inside[parents[node]] and holds[node])
    # Step 2. Bones without a bone above them are roots; several below one node are one body.
    tops = [
        node for node in range(count) if inside[node] and (parents[node] < 0 or not inside[parents[node]])
    ]
    groups: dict[int, list[int]] = {}
    for top in tops:
        groups.setdefault(int(parents[top]), []).append(top)
    bodies = []
    for above, members in groups.items():
        sizes = [len(_below(parents, inside, top)) for top in members]
        large = [top for top, size in zip(members, sizes) if size >= _FEWEST_JOINTS]
        if large or above < 0 or len(members) == 1:
            bodies += [_below(parents, inside, top) for top in large]
        else:
            roots = np.zeros(count, dtype=bool)
            roots[above] = True
            bodies.append(_below(parents, inside | roots, above))
    return [np.array(body) for body in bodies if len(body) >= _FEWEST_JOINTS]


def _below(parents: np.ndarray, inside: np.ndarray, top: int) -> list[int]:
    found, members = [top], {top}
    for node in range(top + 1, len(parents)):
        if inside[node] and int(parents[node]) in members:
            found.append(node)
            members.add(node)
    return found


def _to_recording(
    path: str | os.PathLike[str], scene: NodeScene, body: np.ndarray, motion: Motion, name: str
) -> Recording:
    frames = len(motion.places)
    if len(body) > MOST_JOINTS:
        raise FileError(path, f"expected at most {MOST_JOINTS} joints, found {len(body)}")
    if frames * len(body) > MOST_POSES:
        problem = f"animation {quote(motion.name)} has {frames} frames of {len(body)} joints"
        raise FileError(path, f"{problem}; at most {MOST_POSES // len(body)} frames are read")
    places, turned = _world(scene, body, motion)
    rest_places, rest_turned = (rows[0] for rows in _world(scene, body, scene.rest))
    if not (np.abs(places) <= LARGEST_VALUE).all() or not (np.abs(rest_places) <= LARGEST_VALUE).all():
        raise FileError(path, f"animation {quote(motion.name)} has a place that is not a finite number")

    # Step 1. Nodes that only mark where a bone ends become its tip.
    own = {int(node): joint for joint, node in enumerate(body)}
    parents = np.array([own.get(int(scene.parents[node]), -1) for node in body], dtype=np.int64)
    parents[0] = -1
    has_child = np.zeros(len(body), dtype=bool)
    has_child[parents[1:]] = True
    ends = [
        joint
        for joint, node in enumerate(body)
        if joint and not has_child[joint] and BONE_END.search(scene.names[node])
    ]
    tips = np.zeros((len(body), 3))
    for joint in ends:
        upper = int(parents[joint])
        step = rot.rotate(rot.inverse(rest_turned[upper]), rest_places[joint] - rest_places[upper])
        tips[upper] = max(tips[upper], step, key=np.linalg.norm)
    kept = np.array([joint for joint in range(len(body)) if joint not in ends])
    new = np.full(len(body), -1)
    new[kept] = np.arange(len(kept))
    parents = np.where(parents[kept] < 0, -1, new[parents[kept]])
    places, turned = places[:, kept], turned[:, kept]
    rest_places, rest_turned, tips = rest_places[kept], rest_turned[kept], tips[kept]

    # Step 2. Where the pose without an animation stands, it is what "all angles zero" means.
    names = _own_names([scene.names[body[joint]] for joint in kept])
    by_node = {int(body[joint]): names[place] for place, joint in enumerate(kept)}
    told = {part: by_node[node] for part, node in scene.parts.items() if node in by_node}
    offsets, rest_tips = _steps(rest_places, parents), rot.rotate(rest_turned, tips)
    parts = find_parts(names, parents, told, offsets)
    if rest_pose_stands(Skeleton(names, parents, offsets, rest_tips, parts)):
        turned, tips = rot.multiply(turned, rot.inverse(rest_turned)), rest_tips
    skeleton = Skeleton(names, parents, np.zeros((len(names), 3)), tips)

    # Step 3. Places on the parents.
    local = skeleton.to_local(turned)
    moving = {
        joint: rot.rotate(rot.inverse(turned[:, upper]), places[:, joint] - places[:, upper])
        for joint, upper in enumerate(parents.tolist())
        if upper >= 0
    }
    for joint, own_places in moving.items():
        skeleton.offsets[joint] = own_places.mean(axis=0)
    skeleton.offsets[0] = rest_places[0]
    recording = settle(
        os.path.basename(path), skeleton, motion.fps, places[:, 0].copy(), local, moving, name=name
    )
    return replace(
        recording, unit_hint=scene.unit, up_hint=scene.up, floor_known=scene.floor_known, parts=told
    )


def _world(scene: NodeScene, body: np.ndarray, motion: Motion) -> tuple[np.ndarray, np.ndarray]:
    """Places (F, J, 3) and turns (F, J, 4) of a body's nodes in the world."""
    wanted = {int(node) for node in body}
    for node in body:
        above = int(scene.parents[node])
        while above >= 0 and above not in wanted:
            wanted.add(above)
            above = int(scene.parents[above])
    order = sorted(wanted)
    on_parents = rot.to_matrix(rot.normalize(motion.turns[:, order])) * motion.scales[:, order, None, :]
    matrices: dict[int, np.ndarray] = {}
    places: dict[int, np.ndarray] = {}
    for number, node in enumerate(order):
        local = on_parents[:, number]
        parent = int(scene.parents[node])
        if parent < 0:
            matrices[node], places[node] = local, motion.places[:, node]
        else:
            matrices[node] = matrices[parent] @ local
            step = np.einsum("fab,fb->fa", matrices[parent], motion.places[:, node])
            places[node] = places[parent] + step
    turned = _without_scale(np.stack([matrices[int(node)] for node in body], axis=1))
    return np.stack([places[int(node)] for node in body], axis=1), turned


def _without_scale(matrices: np.ndarray) -> np.ndarray:
    """(F, J, 4) the rotations in matrices (F, J, 3, 3) that may scale and mirror."""
    x = _unit(matrices[..., 0], rot.X_AXIS)
    y = matrices[..., 1] - x * np.sum(x * matrices[..., 1], axis=-1, keepdims=True)
    fallback = np.where(
        np.abs(x[..., :1]) < 0.9, rot.cross(x, np.broadcast_to(rot.X_AXIS, x.shape)), rot.Y_AXIS
    )
    y = _unit(y, fallback)
    y = _unit(y - x * np.sum(x * y, axis=-1, keepdims=True), fallback)
    return rot.from_matrix(np.stack([x, y, rot.cross(x, y)], axis=-1))


def _unit(vectors: np.ndarray, otherwise: np.ndarray) -> np.ndarray:
    length = np.linalg.norm(vectors, axis=-1, keepdims=True)
    return np.where(length > 1e-12, vectors / np.maximum(length, 1e-12), otherwise)


def _steps(places: np.ndarray, parents: np.ndarray) -> np.ndarray:
    """(J, 3) from each joint's parent to it; the root's is its place."""
    return np.where(parents[:, None] < 0, places, places - places[parents])


def _own_names(names: Sequence[str]) -> tuple[str, ...]:
    """Names of which no two are the same."""
    used: set[str] = set()
    own = []
    for name in names:
        plain = name.strip() or "joint"
        number, one = 2, plain
        while one in used:
            one, number = f"{plain}_{number}", number + 1
        used.add(one)
        own.append(one)
    return tuple(own)


def _with_own_names(recordings: list[Recording]) -> list[Recording]:
    names = _own_names([recording.name for recording in recordings])
    return [replace(one, name=name) for one, name in zip(recordings, names)]


def sample_vectors(times: np.ndarray, keys: np.ndarray, values: np.ndarray, step: bool = False) -> np.ndarray:
    """Values (K, D) at sorted key times (K,), between them and held beyond, at some times (F,)."""
    first, share = _between(times, keys, step)
    after = np.minimum(first + 1, len(keys) - 1)
    return values[first] + share[:, None] * (values[after] - values[first])


def sample_turns(times: np.ndarray, keys: np.ndarray, values: np.ndarray, step: bool = False) -> np.ndarray:
    """Quaternions (K, 4) at sorted key times (K,), along the shortest way, at some times (F,)."""
    first, share = _between(times, keys, step)
    after = np.minimum(first + 1, len(keys) - 1)
    return rot.slerp(rot.normalize(values[first]), rot.normalize(values[after]), share)


def _between(times: np.ndarray, keys: np.ndarray, step: bool) -> tuple[np.ndarray, np.ndarray]:
    first = np.clip(np.searchsorted(keys, times, side="right") - 1, 0, len(keys) - 1)
    after = np.minimum(first + 1, len(keys) - 1)
    length = keys[after] - keys[first]
    share = np.where(length > 0.0, (times - keys[first]) / np.where(length > 0.0, length, 1.0), 0.0)
    return first, np.zeros(len(times)) if step else np.clip(share, 0.0, 1.0)
