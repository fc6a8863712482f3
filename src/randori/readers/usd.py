"""Reads the skeletons and animations of a USD file with usd-core, in a process of its own."""

import json
import sys
from typing import Any

import numpy as np

from randori.readers.limits import obey, refuse, save


def main(path: str, answer: str, limits: dict[str, Any]) -> None:
    obey(limits)
    from pxr import Tf, Usd, UsdGeom, UsdSkel

    try:
        stage = opened(path)
        skeletons = [UsdSkel.Skeleton(prim) for prim in stage.Traverse() if prim.IsA(UsdSkel.Skeleton)]
    except Tf.ErrorException as error:
        refuse(f"is not a USD file that can be read: {str(error)[:200]}")
    if not skeletons:
        refuse("there is no skeleton (UsdSkel) in it")
    rate = float(stage.GetTimeCodesPerSecond())
    if not (np.isfinite(rate) and 1.0 <= rate <= 5000.0):
        refuse(f"expected 1 to 5000 time codes a second, found {rate:g}")

    # Step 1. The nodes: for each skeleton one above it, then its joints, parents first.
    names: list[str] = []
    parents: list[int] = []
    bones: list[bool] = []
    bodies = []
    for skeleton in skeletons:
        joints = [str(joint) for joint in skeleton.GetJointsAttr().Get() or ()]
        if len(names) + len(joints) > limits["nodes"]:
            refuse(f"has more than {limits['nodes']} joints")
        first = len(names)
        names.append(skeleton.GetPrim().GetName())
        parents.append(-1)
        bones.append(False)
        row_of: dict[str, int] = {}
        for joint in sorted(joints, key=lambda joint: (joint.count("/"), joints.index(joint))):
            row_of[joint] = len(names)
            above = joint.rpartition("/")[0]
            while above and above not in row_of:
                above = above.rpartition("/")[0]
            names.append(joint.rpartition("/")[2])
            parents.append(row_of.get(above, first))
            bones.append(True)
        bodies.append((skeleton, joints, first, row_of))

    # Step 2. The pose without an animation.
    rest = np.zeros((1, len(names), 3)), np.zeros((1, len(names), 4)), np.ones((1, len(names), 3))
    rest[1][..., 0] = 1.0
    for skeleton, joints, _, row_of in bodies:
        for joint, matrix in zip(joints, skeleton.GetRestTransformsAttr().Get() or ()):
            place, turn, scale = taken_apart(np.array(matrix))
            rest[0][0, row_of[joint]], rest[1][0, row_of[joint]], rest[2][0, row_of[joint]] = (
                place,
                turn,
                scale,
            )

    # Step 3. The animations, all at once: what several characters do belongs together.
    bound = []
    codes: set[float] = set()
    for skeleton, _, _, _ in bodies:
        source = UsdSkel.BindingAPI(skeleton.GetPrim()).GetInheritedAnimationSource()
        animation = UsdSkel.Animation(source) if source and source.IsA(UsdSkel.Animation) else None
        bound.append(animation)
        if animation is not None:
            for attribute in (animation.GetTranslationsAttr(), animation.GetRotationsAttr()):
                codes |= set(attribute.GetTimeSamples())
    motions = [("rest", 1.0, *rest, np.zeros(len(names), dtype=bool))]
    if codes:
        first_code, last_code = min(codes), max(codes)
        if not (np.isfinite(first_code) and np.isfinite(last_code)):
            refuse("has a time that is not a finite number")
        frames = round(last_code - first_code) + 1
        if (gap := float(np.diff(sorted(codes)).max(initial=0.0)) / rate) > limits["gap"]:
            refuse(f"has no key for {gap:.0f} s; is the time of a key damaged?")
        if frames * len(names) > limits["poses"]:
            refuse(f"has {frames} frames of {len(names)} joints, more than can be read")
        times = first_code + np.arange(frames)
        places, turns, scales = (np.repeat(rows, frames, axis=0) for rows in rest)
        moving = [places, turns, scales]
        moved = np.zeros(len(names), dtype=bool)
        for (skeleton, _, holder, row_of), animation in zip(bodies, bound):
            xform = UsdGeom.Xformable(skeleton.GetPrim())
            for frame, time in enumerate(times):
                matrix = np.array(xform.ComputeLocalToWorldTransform(Usd.TimeCode(time)))
                for rows, value in zip(moving, taken_apart(matrix)):
                    rows[frame, holder] = value
            if animation is not None:
                _sample(animation, row_of, times, moving, moved)
        motions.append(("animation", rate, places, turns, scales, moved))
    up = "Z" if UsdGeom.GetStageUpAxis(stage) == UsdGeom.Tokens.z else "Y"
    save(answer, names, parents, bones, motions, float(UsdGeom.GetStageMetersPerUnit(stage)), up)


def opened(path: str) -> Any:
    """The stage of a file that stands alone."""
    from pxr import Sdf, Usd

    layer = Sdf.Layer.FindOrOpen(path)
    if layer is None:
        refuse("is not a USD file that can be read")
    if others := layer.GetCompositionAssetDependencies():
        name = sorted(others)[0][:80]
        refuse(f"refers to other files ({name!r}); write it as one file first: usdcat --flatten")
    return Usd.Stage.Open(layer)


def _sample(
    animation: Any, row_of: dict[str, int], times: np.ndarray, moving: list[np.ndarray], moved: np.ndarray
) -> None:
    """Fill in what an animation does with its joints, frame by frame."""
    rows = [row_of.get(str(joint), -1) for joint in animation.GetJointsAttr().Get() or ()]
    known = np.array([row >= 0 for row in rows], dtype=bool)
    target = np.array([row for row in rows if row >= 0], dtype=np.int64)
    moved[target] = True
    attributes = animation.GetTranslationsAttr(), animation.GetRotationsAttr(), animation.GetScalesAttr()
    for frame, time in enumerate(times):
        for number, attribute in enumerate(attributes):
            value = attribute.Get(time)
            if value is None or len(value) != len(rows):
                continue
            if number == 1:
                values = np.array([(one.GetReal(), *one.GetImaginary()) for one in value], dtype=float)
            else:
                values = np.array(value, dtype=float)
            moving[number][frame, target] = values[known]


def taken_apart(matrix: np.ndarray) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Place, turn (w, x, y, z) and scale of a matrix of row vectors."""
    linear = matrix[:3, :3].T
    scale = np.linalg.norm(linear, axis=0)
    scale = np.where(scale > 1e-12, scale, 1.0)
    if np.linalg.det(linear) < 0.0:
        scale[0] = -scale[0]
    return matrix[3, :3], _quaternion(linear / scale), scale


def _quaternion(m: np.ndarray) -> np.ndarray:
    """(w, x, y, z) of a rotation matrix: the eigenvector of Bar-Itzhack's symmetric matrix."""
    k = np.array(
        [
            [m[0, 0] + m[1, 1] + m[2, 2], m[2, 1] - m[1, 2], m[0, 2] - m[2, 0], m[1, 0] - m[0, 1]],
            [0.0, m[0, 0] - m[1, 1] - m[2, 2], m[1, 0] + m[0, 1], m[2, 0] + m[0, 2]],
            [0.0, 0.0, m[1, 1] - m[0, 0] - m[2, 2], m[2, 1] + m[1, 2]],
            [0.0, 0.0, 0.0, m[2, 2] - m[0, 0] - m[1, 1]],
        ]
    )
    _, vectors = np.linalg.eigh(k + np.triu(k, 1).T)
    return np.asarray(vectors[:, -1])


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], json.loads(sys.argv[3]))
