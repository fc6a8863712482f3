"""Runs inside Blender's Python: imports what was handed over and compares it joint by joint.

Blender has Z up: its (x, y, z) is Randori's (x, -z, y).
"""

import json
import sys
from pathlib import Path

import bpy
import numpy as np

TOLERANCE = 0.001  # metres


def joint_positions(armature, names, frames):
    """(F, J, 3) metres, Y up: the heads of an armature's bones."""
    scene = bpy.context.scene
    result = np.empty((frames, len(names), 3))
    for frame in range(frames):
        scene.frame_set(scene.frame_start + frame)
        for joint, name in enumerate(names):
            x, y, z = armature.matrix_world @ armature.pose.bones[name].head
            result[frame, joint] = x, z, -y
    return result


def compare(label, armature, expected):
    """Print the largest difference of one character and say whether it is small enough."""
    names = json.loads(str(expected["names"]))
    found = [bone.name for bone in armature.data.bones]
    if sorted(found) != sorted(names):
        print(f"FAILED {label}: joints are {found}, expected {names}")
        return False
    positions = expected["positions"]
    worst = np.abs(joint_positions(armature, names, len(positions)) - positions).max()
    good = worst < TOLERANCE
    size = f"{len(names)} joints, {len(positions)} frames"
    print(f"{'ok    ' if good else 'FAILED'} {label}: {size}, worst {1000 * worst:.4f} mm")
    return good


def check_rate(label, fps, expected):
    good = abs(fps - float(expected["fps"])) < 0.01
    print(f"{'ok    ' if good else 'FAILED'} {label}: {fps:g} frames a second")
    return good


def armatures():
    return sorted((o for o in bpy.data.objects if o.type == "ARMATURE"), key=lambda o: o.name)


def check_glb(folder, name):
    """glTF keeps times in seconds: at the take's own rate every key must fall on a whole frame."""
    expected = [np.load(path) for path in sorted(folder.glob(f"{name}.*.npz"))]
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    scene.render.fps = round(float(expected[0]["fps"]))
    scene.frame_start = 0
    bpy.ops.import_scene.gltf(filepath=str(folder / f"{name}.glb"))
    scene.frame_start = 0
    good = len(armatures()) == len(expected)
    if not good:
        print(f"FAILED {name}.glb: {len(armatures())} armatures for {len(expected)} characters")
    curves = [curve for action in bpy.data.actions for curve in curves_of(action)]
    times = np.array([[key.co.x for key in curve.keyframe_points] for curve in curves[:1]]).ravel()
    good &= check_rate(f"{name}.glb", scene.render.fps / np.diff(times).mean(), expected[0])
    for armature, truth in zip(armatures(), in_order(armatures(), expected)):
        good &= compare(f"{name}.glb {armature.name}", armature, truth)
    return good


def curves_of(action):
    for layer in action.layers:
        for strip in layer.strips:
            for bag in strip.channelbags:
                yield from bag.fcurves


def in_order(found, expected):
    """The expected character of each armature: the one whose root starts where the armature's does."""
    bpy.context.scene.frame_set(bpy.context.scene.frame_start)
    ordered = []
    for armature in found:
        x, y, z = armature.matrix_world @ armature.pose.bones[0].head
        start = np.array([x, z, -y])
        ordered.append(min(expected, key=lambda e: np.abs(e["positions"][0, 0] - start).max()))
    return ordered


def check_bvh(folder, name):
    expected = np.load(folder / f"{name}.0.npz")
    bpy.ops.wm.read_factory_settings(use_empty=True)
    scene = bpy.context.scene
    bpy.ops.import_anim.bvh(
        filepath=str(folder / f"{name}.bvh"),
        global_scale=0.01,  # BVH is written in centimetres
        frame_start=1,
        update_scene_fps=True,
        update_scene_duration=True,
        rotate_mode="QUATERNION",
    )
    scene.frame_start = 1
    good = check_rate(f"{name}.bvh", scene.render.fps / scene.render.fps_base, expected)
    return good & compare(f"{name}.bvh", armatures()[0], expected)


def hand_back(folder, name):
    """Write the armature of the last check as FBX and glTF, for Randori to read."""
    scene = bpy.context.scene
    frames = len(np.load(folder / f"{name}.0.npz")["positions"])
    scene.frame_start, scene.frame_end = 1, frames
    bpy.ops.export_scene.fbx(
        filepath=str(folder / f"{name}.back.fbx"),
        bake_anim_use_nla_strips=False,
        bake_anim_use_all_actions=False,
        bake_anim_simplify_factor=0.0,
    )
    bpy.ops.export_scene.gltf(filepath=str(folder / f"{name}.back.glb"), export_format="GLB")


def main(folder):
    results = [check_glb(folder, "one"), check_glb(folder, "two")]
    for name in ("one", "heap"):
        results.append(check_bvh(folder, name))
        hand_back(folder, name)
    print(f"{sum(results)} passed, {len(results) - sum(results)} failed")
    sys.exit(0 if all(results) else 1)


if __name__ == "__main__":
    main(Path(sys.argv[1]))
