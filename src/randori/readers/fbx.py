"""Reads the nodes and animations of an FBX file with ufbx, in a process of its own.

Parts of the package's interface crash the interpreter; only what is used here is known not to.
"""

import json
import sys
from typing import Any

import numpy as np

from randori.readers.fbx_tree import elements, open_tree
from randori.readers.limits import obey, refuse, sample, save

_USUAL_RATE = 30.0


def main(path: str, answer: str, limits: dict[str, Any]) -> None:
    obey(limits)
    import ufbx

    # Step 1. The tree, parents first.
    tree = open_tree(path, limits, ignore_geometry=True, ignore_embedded=True)
    scene, nodes, parents, row_of = tree.scene, tree.nodes, tree.parents, tree.row_of
    rest = tree.places[None], tree.turns[None], tree.scales[None]
    bones = [node.bone is not None for node in nodes]

    # Step 2. The animations.
    fps = float(scene.settings.frames_per_second)
    fps = fps if np.isfinite(fps) and 1.0 <= fps <= 5000.0 else _USUAL_RATE
    motions = [("rest", 1.0, *rest, np.zeros(len(nodes), dtype=bool))]
    _refuse_gaps(scene, limits["gap"])
    for stack in elements(scene.anim_stacks):
        begin, end = float(stack.time_begin), float(stack.time_end)
        if not (np.isfinite(begin) and np.isfinite(end) and end >= begin):
            continue
        if (end - begin) * fps * len(nodes) > limits["poses"]:
            refuse(f"animation {stack.name!r} is {end - begin:.0f} s long, more than can be read")
        baked = ufbx.bake_anim(scene, stack.anim, resample_rate=fps, maximum_sample_rate=fps)
        if end - begin < 1.0 / fps:  # a take that does not say how long it is lasts as long as its keys
            begin, end = float(baked.key_time_min), float(baked.key_time_max)
            if not (np.isfinite(begin) and np.isfinite(end) and end >= begin):
                continue
            if (end - begin) * fps * len(nodes) > limits["poses"]:
                refuse(f"animation {stack.name!r} is {end - begin:.0f} s long, more than can be read")
        frames = round((end - begin) * fps) + 1
        times = begin + np.arange(frames) / fps
        places, turns, scales = (np.repeat(rows, frames, axis=0) for rows in rest)
        moved = np.zeros(len(nodes), dtype=bool)
        for node in baked.nodes:
            row = row_of.get(node.typed_id)
            if row is None:
                continue
            moved[row] = True
            for target, keys in (
                (places, node.translation_keys),
                (scales, node.scale_keys),
                (turns, node.rotation_keys),
            ):
                if len(keys):
                    at, values = _keys(keys)
                    target[:, row] = sample(times, at, values)
        if not moved.any():  # a pose: all of the skeleton stays as it is
            moved = np.array(bones)
        motions.append((stack.name or "animation", fps, places, turns, scales, moved))
    names = [node.name or f"node{row}" for row, node in enumerate(nodes)]
    save(answer, names, parents, bones, motions, 1.0, "Y")


def _refuse_gaps(scene: Any, longest: float) -> None:
    """A key whose time is damaged makes an animation of hours; a moving body has keys all the time."""
    times = {float(key.time) for curve in elements(scene.anim_curves) for key in curve.keyframes}
    steps = np.diff(sorted(time for time in times if np.isfinite(time)))
    if (gap := float(steps.max(initial=0.0))) > longest:
        refuse(f"has no key for {gap:.0f} s; is the time of a key damaged?")


def _keys(keys: Any) -> tuple[np.ndarray, np.ndarray]:
    """(K,) seconds and (K, 3) or (K, 4) values."""
    rows = [(key.time, key.value) for key in keys]
    at = np.array([time for time, _ in rows])
    if hasattr(rows[0][1], "w"):
        return at, np.array([(value.w, value.x, value.y, value.z) for _, value in rows])
    return at, np.array([(value.x, value.y, value.z) for _, value in rows])


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], json.loads(sys.argv[3]))
