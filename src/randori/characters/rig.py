"""The skeleton of a character: its joints are nodes of its file, and turn exactly as those do."""

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np

from randori.errors import BodyPartError, FileError
from randori.formats.model import Model
from randori.formats.nodes import BONE_END, NodeScene, find_bodies
from randori.formats.recognise import check_limbs, four_legged
from randori.motion import rotations as rot
from randori.motion.clip import Clip
from randori.motion.parts import find_parts, missing_parts, part_options
from randori.motion.skeleton import Skeleton
from randori.motion.t_pose import find_reference, rest_pose_stands

SWORD, SWORD_TIP = "randori_sword", "randori_sword_end"  # nodes that weapons.py adds
_UNEVEN_SCALE = 0.02  # that the three scales of a joint may differ by, or its axes be off square


@dataclass(frozen=True, eq=False)
class WholeRig:
    """All joints of a file, with those above the pelvis and beside it."""

    skeleton: Skeleton  # in units of the file, without flesh
    nodes: np.ndarray  # (W,) int64, nodes of the scene
    above: np.ndarray  # (4, 4) of what carries its root joint
    kept: np.ndarray  # (J,) int64, its joints that are those of the character's skeleton


@dataclass(frozen=True, eq=False)
class Rig:
    """Joints from the pelvis on, and the nodes that they are.

    Many rigs have a root bone on the floor. The way and the height of a body are those of its pelvis, so
    that such a bone is no joint here; it goes with the pelvis when a character is written.
    """

    skeleton: Skeleton  # in units of the file, without flesh
    nodes: np.ndarray  # (J,) int64, nodes of the scene
    carried: np.ndarray  # (N,) int64, the joint that carries each node of the scene, -1 for none
    matrices: np.ndarray  # (N, 4, 4) from each node into the world, as the file lies
    joint_places: np.ndarray  # (J, 3) of the joints as the file lies
    joint_turns: np.ndarray  # (J, 4)
    whole: WholeRig


def find_rig(model: Model, told: Mapping[str, str] | None = None) -> Rig:
    """The one skeleton of a model; errors say why there is none. `told` names body parts outright."""
    scene = model.scene
    body = _with_sword(scene, _only_body(model))
    matrices = world_matrices(scene)
    turns = _turns(model, body, matrices)
    places = matrices[body, :3, 3]

    # Step 1. Joints that only mark where a bone ends become its tip.
    own = {int(node): joint for joint, node in enumerate(body)}
    parents = np.array([own.get(int(scene.parents[node]), -1) for node in body], dtype=np.int64)
    parents[0] = -1
    has_child = np.zeros(len(body), dtype=bool)
    has_child[parents[1:]] = True
    is_end = [
        bool(k and not has_child[k] and BONE_END.search(scene.names[node])) for k, node in enumerate(body)
    ]
    kept = np.flatnonzero(~np.array(is_end))
    tips = np.zeros((len(body), 3))
    for joint in np.flatnonzero(is_end).tolist():
        upper = int(parents[joint])
        step = rot.rotate(rot.inverse(turns[upper]), places[joint] - places[upper])
        tips[upper] = max(tips[upper], step, key=np.linalg.norm)
    new = np.full(len(body), -1)
    new[kept] = np.arange(len(kept))
    parents = np.where(parents[kept] < 0, -1, new[parents[kept]])
    body, places, turns, tips = body[kept], places[kept], turns[kept], tips[kept]

    # Step 2. The joints as the file has them.
    names = _own_names([scene.names[node] for node in body])
    offsets = np.zeros((len(body), 3))
    for joint, parent in enumerate(parents.tolist()):
        if parent >= 0:
            offsets[joint] = rot.rotate(rot.inverse(turns[parent]), places[joint] - places[parent])
    bare = Skeleton(names, parents, offsets, tips)

    # Step 3. Body parts and the T, from the pose in which the skin was bound, or from the one of the nodes.
    parts_told = {
        part: names[own_place]
        for part, node in scene.parts.items()
        if (own_place := _place_of(body, node)) >= 0
    }
    # The shape of the tree may tell the parts, and bones the T: the sword, which comes last, is not in it.
    known = names.index(SWORD) if SWORD in names else len(names)
    poses = [pose[:known] for pose in (_bind_turns(model, bare, body, turns), turns)]
    skeleton = _standing(model, _first_joints(bare, known), poses, parts_told, told)
    if known < len(names):
        skeleton = _add_sword(skeleton, bare, turns)
    carried = _carried(scene, body)
    above = matrices[scene.parents[body[0]]] if scene.parents[body[0]] >= 0 else np.eye(4)
    kept = _from_pelvis(skeleton)
    number = np.zeros(len(skeleton) + 1, dtype=np.int64)  # joints that are left out are carried by the pelvis
    number[kept], number[-1] = np.arange(len(kept)), -1
    return Rig(
        _some_joints(skeleton, kept),
        body[kept],
        number[carried],
        matrices,
        places[kept],
        turns[kept],
        WholeRig(skeleton, body, above, kept),
    )


def _from_pelvis(skeleton: Skeleton) -> np.ndarray:
    """(J,) the joints from the pelvis on; all, if some body parts do not hang on it."""
    pelvis = skeleton.joint("pelvis")
    below = {pelvis}
    for joint, parent in enumerate(skeleton.parents.tolist()):
        if parent in below:
            below.add(joint)
    if not below.issuperset(skeleton.parts.values()):
        return np.arange(len(skeleton))
    return np.array(sorted(below), dtype=np.int64)


def _some_joints(skeleton: Skeleton, kept: np.ndarray) -> Skeleton:
    """A skeleton of some joints (J,), of which each except the first hangs on another of them."""
    number = {int(joint): place for place, joint in enumerate(kept)}
    offsets = skeleton.offsets[kept].copy()
    offsets[0] = 0.0
    return Skeleton(
        tuple(skeleton.names[joint] for joint in kept),
        np.array([number.get(int(skeleton.parents[joint]), -1) for joint in kept], dtype=np.int64),
        offsets,
        skeleton.tips[kept],
        {part: number[joint] for part, joint in skeleton.parts.items()},
        skeleton.reference[kept],
    )


def on_all_joints(clip: Clip, whole: WholeRig, size: float) -> Clip:
    """A clip of the character's skeleton on all joints of its file, of so many metres per unit.

    Joints above the pelvis go with it as if they were one piece with it; others stay as they are.
    """
    if len(whole.kept) == len(whole.skeleton):
        return clip
    skeleton, pelvis = whole.skeleton.scaled(size), int(whole.kept[0])
    places, turned = skeleton.forward(np.zeros((1, 3)), skeleton.to_local(skeleton.reference)[None])
    rotations = np.tile(skeleton.to_local(skeleton.reference), (len(clip), 1, 1))
    rotations[:, whole.kept[1:]] = clip.rotations[:, 1:]
    onto = rot.multiply(rot.inverse(turned[0, 0]), turned[0, pelvis])
    rotations[:, 0] = rot.multiply(clip.rotations[:, 0], rot.inverse(onto))
    step = rot.rotate(rot.inverse(turned[0, 0]), places[0, pelvis] - places[0, 0])
    root = clip.root_position - rot.rotate(rotations[:, 0], step)
    return clip.with_frames(root, rot.unroll(rotations), skeleton=skeleton)


def world_matrices(scene: NodeScene) -> np.ndarray:
    """(N, 4, 4) from each node into the world, without an animation."""
    matrices = np.tile(np.eye(4), (len(scene.names), 1, 1))
    turns = rot.to_matrix(rot.normalize(scene.rest.turns[0]))
    for node, parent in enumerate(scene.parents.tolist()):
        matrices[node, :3, :3] = turns[node] * scene.rest.scales[0, node]
        matrices[node, :3, 3] = scene.rest.places[0, node]
        if parent >= 0:
            matrices[node] = matrices[parent] @ matrices[node]
    return matrices


def _only_body(model: Model) -> np.ndarray:
    """The nodes of the one skeleton that the skin follows."""
    skinned = [piece for piece in model.pieces if piece.skin >= 0]
    if not model.pieces:
        raise FileError(model.file, "there is no mesh in it: a character needs a skinned mesh")
    if not model.skins or not skinned:
        raise FileError(
            model.file, "its mesh follows no skeleton: there is no skin in it (in Blender: Armature modifier)"
        )
    bodies = find_bodies(model.scene)
    if not bodies:
        raise FileError(model.file, "there is no skeleton of at least 8 joints in it")
    followed = {int(joint) for piece in skinned for joint in model.skins[piece.skin].joints}
    found = [body for body in bodies if followed.intersection(body.tolist())]
    if len(found) > 1:
        roots = ", ".join(model.scene.names[body[0]] for body in found[:4])
        raise FileError(
            model.file, f"it holds {len(found)} skeletons ({roots}); a character is one: save each alone"
        )
    if not found:
        raise FileError(model.file, "its skin follows joints that are no skeleton")
    return found[0]


def _first_joints(bare: Skeleton, count: int) -> Skeleton:
    return Skeleton(bare.names[:count], bare.parents[:count], bare.offsets[:count], bare.tips[:count])


def _add_sword(skeleton: Skeleton, bare: Skeleton, turns: np.ndarray) -> Skeleton:
    """A skeleton with the sword of one whose last joint is a sword; it turns with the hand into the T."""
    sword = len(skeleton)
    turned = rot.multiply(skeleton.reference[bare.parents[sword]], bare.to_local(turns)[sword])
    return Skeleton(
        bare.names,
        bare.parents,
        bare.offsets,
        bare.tips,
        {**skeleton.parts, "weapon": sword},
        np.concatenate([skeleton.reference, turned[None]]),
    )


def _with_sword(scene: NodeScene, body: np.ndarray) -> np.ndarray:
    """The nodes of a skeleton, with the sword that was put into its hand."""
    added = [node for node, name in enumerate(scene.names) if name in (SWORD, SWORD_TIP)]
    return np.array([*body.tolist(), *(node for node in added if node not in body)], dtype=np.int64)


def _turns(model: Model, body: np.ndarray, matrices: np.ndarray) -> np.ndarray:
    """(J, 4) of the joints in the world; scales must be even and not mirrored."""
    axes = matrices[body, :3, :3]
    scales = np.linalg.norm(axes, axis=1)
    for joint, node in enumerate(body):
        name = model.scene.names[node]
        least, most = scales[joint].min(), scales[joint].max()
        if least <= 1e-9:
            raise FileError(model.file, f"the joint {name!r} is scaled to nothing")
        unit = axes[joint] / scales[joint]
        if np.linalg.det(unit) < 0.0:
            raise FileError(
                model.file,
                f"the joint {name!r} is mirrored (a negative scale); apply the scale and export again "
                "(Blender: Object, Apply, All Transforms)",
            )
        askew = np.abs(unit.T @ unit - np.eye(3)).max()
        if most > least * (1.0 + _UNEVEN_SCALE) or askew > _UNEVEN_SCALE:
            raise FileError(
                model.file,
                f"the joint {name!r} is scaled unevenly ({', '.join(f'{s:.3g}' for s in scales[joint])}); "
                "apply the scale and export again (Blender: Object, Apply, All Transforms)",
            )
    return rot.normalize(rot.from_matrix(axes / scales[:, None, :]))


def _bind_turns(model: Model, bare: Skeleton, body: np.ndarray, turns: np.ndarray) -> np.ndarray:
    """(J, 4) of the joints when the skin was bound, in the space of the mesh."""
    sizes = [sum(len(p.vertices) for p in model.pieces if p.skin == k) for k in range(len(model.skins))]
    main = model.skins[int(np.argmax(sizes))]
    known: dict[int, np.ndarray] = {}
    for node, inverse in zip(main.joints.tolist(), main.inverse_bind):
        axes = inverse[:3, :3]
        if abs(np.linalg.det(axes)) > 1e-12 and (joint := _place_of(body, node)) >= 0:
            bound = np.linalg.inv(axes)
            bound = bound / np.linalg.norm(bound, axis=0)
            if np.linalg.det(bound) > 0.0:
                known[joint] = rot.normalize(rot.from_matrix(bound))
    local = bare.to_local(turns)
    bound_turns = turns.copy()
    if 0 not in known and known:  # the root is not bound: seen from the first joint that is
        joint = min(known)
        way = rot.multiply(rot.inverse(turns[0]), turns[joint])
        known[0] = rot.multiply(known[joint], rot.inverse(way))
    for joint, parent in enumerate(bare.parents.tolist()):
        if joint in known:
            bound_turns[joint] = known[joint]
        elif parent >= 0:
            bound_turns[joint] = rot.multiply(bound_turns[parent], local[joint])
    return bound_turns


def _standing(
    model: Model,
    bare: Skeleton,
    poses: list[np.ndarray],
    in_file: Mapping[str, str],
    told: Mapping[str, str] | None,
) -> Skeleton:
    """The skeleton with its body parts and its T, from the first of some poses (J, 4) that stands."""
    lying = False
    for turns in poses:
        places, _ = bare.forward(np.zeros((1, 3)), bare.to_local(turns)[None])
        steps = np.where(bare.parents[:, None] < 0, 0.0, places[0] - places[0, bare.parents])
        parts = find_parts(bare.names, bare.parents, {**in_file, **(told or {})}, steps)
        if missing := missing_parts(parts):
            raise BodyPartError(
                f"{model.file}: no person was found in it: no joint was recognised as the "
                f"{missing[0].replace('_', ' ')}; name what is missing with "
                f"{part_options(bare.names, parts)}. The joints are: {', '.join(bare.names)}"
            )
        stance = Skeleton(bare.names, bare.parents, steps, rot.rotate(turns, bare.tips), parts)
        still = np.tile(rot.IDENTITY, (1, len(bare), 1))
        check_limbs(model.file, stance)
        if why := _animal(stance, still):
            raise FileError(model.file, f"is not a person: {why}")
        if rest_pose_stands(stance):
            reference = rot.multiply(find_reference(stance, still), turns)
            return Skeleton(bare.names, bare.parents, bare.offsets, bare.tips, parts, reference)
        lying = True
    problem = "neither the pose in which its skin was bound nor the one of its joints stands upright"
    raise FileError(model.file, f"{problem}; export it in a T or an A" if lying else problem)


def _animal(stance: Skeleton, still: np.ndarray) -> str:
    """The reason why a body is not a person's; empty for people."""
    places, _ = stance.forward(np.zeros((1, 3)), still)
    parts, at = stance.parts, places[0]
    # as it may lie about any axis here, up is from the feet to the hips
    hips = 0.5 * (at[parts["left_thigh"]] + at[parts["right_thigh"]])
    feet = 0.5 * (at[parts["left_foot"]] + at[parts["right_foot"]])
    upright = rot.between(rot.normalize(hips - feet), rot.Y_AXIS)
    clip = Clip("bound", stance, 1.0, np.zeros((1, 3)), still)
    turned = clip.with_frames(clip.root_position, rot.multiply(upright, still))
    return four_legged(turned.with_frames(turned.root_position, _root_only(turned.rotations)))


def _root_only(rotations: np.ndarray) -> np.ndarray:
    """Rotations in which only the root is turned, and all hangs on it."""
    alone = np.tile(rot.IDENTITY, (*rotations.shape[:2], 1))
    alone[:, 0] = rotations[:, 0]
    return alone


def _place_of(body: np.ndarray, node: int) -> int:
    found = np.flatnonzero(body == node)
    return int(found[0]) if len(found) else -1


def _carried(scene: NodeScene, body: np.ndarray) -> np.ndarray:
    """(N,) the joint that carries each node: itself, or the nearest above it."""
    carried = np.full(len(scene.names), -1, dtype=np.int64)
    own = {int(node): joint for joint, node in enumerate(body)}
    for node, parent in enumerate(scene.parents.tolist()):
        carried[node] = own.get(node, carried[parent] if parent >= 0 else -1)
    return carried


def _own_names(names: list[str]) -> tuple[str, ...]:
    """Names of which no two are the same."""
    used: dict[str, int] = {}
    own = []
    for name in names:
        plain = name.strip() or "joint"
        used[plain] = used.get(plain, 0) + 1
        own.append(plain if used[plain] == 1 else f"{plain}_{used[plain]}")
    return tuple(own)
