"""Reads the nodes and animations of an FBX file with ufbx, in a process of its own.

Parts of the package's interface crash the interpreter; only what is used here is known not to.
"""

import json
import sys
from typing import Any

import numpy as np

from randori.readers.limits import obey, refuse, sample, save

_USUAL_RATE = 30.0


def main(path: str, answer: str, limits: dict[str, Any]) -> None:
    obey(limits)
    import ufbx

    try:
        scene = ufbx.load_file(
            path,
            ignore_geometry=True,
            ignore_embedded=True,
            load_external_files=False,
            target_axes=ufbx.axes_right_handed_y_up,
            target_unit_meters=1.0,
            node_depth_limit=512,
        )
    except ufbx.UfbxError as error:
        refuse(f"is not an FBX file that can be read: {str(error)[:200]}")
    nodes = list(scene.nodes)
    if len(nodes) > limits["nodes"]:
        refuse(f"has {len(nodes)} nodes; at most {limits['nodes']} are read")

    # Step 1. The tree, parents first.
    number = {node.typed_id: place for place, node in enumerate(nodes)}
    parent = [number[node.parent.typed_id] if node.parent is not None else -1 for node in nodes]
    below: list[list[int]] = [[] for _ in nodes]
    for place, above in enumerate(parent):
        if above >= 0:
            below[above].append(place)
    order: list[int] = []
    waiting = [place for place, above in enumerate(parent) if above < 0]
    while waiting:
        place = waiting.pop()
        order.append(place)
        waiting += reversed(below[place])
    new = {place: row for row, place in enumerate(order)}
    nodes = [nodes[place] for place in order]
    parents = [new[parent[place]] if parent[place] >= 0 else -1 for place in order]
    row_of = {node.typed_id: row for row, node in enumerate(nodes)}
    rest = _rest(nodes)

    # Step 2. The animations.
    fps = float(scene.settings.frames_per_second)
    fps = fps if np.isfinite(fps) and 1.0 <= fps <= 5000.0 else _USUAL_RATE
    motions = [("rest", 1.0, *rest, np.zeros(len(nodes), dtype=bool))]
    for stack in scene.anim_stacks:
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
            moved = np.array([node.bone is not None for node in nodes])
        motions.append((stack.name or "animation", fps, places, turns, scales, moved))
    names = [node.name or f"node{row}" for row, node in enumerate(nodes)]
    bones = [node.bone is not None for node in nodes]
    save(answer, names, parents, bones, motions, 1.0, "Y")


def _rest(nodes: list[Any]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(1, N, …) places, turns and scales of the nodes without an animation."""
    places, turns, scales = [], [], []
    for node in nodes:
        transform = node.local_transform
        place, turn, scale = transform.translation, transform.rotation, transform.scale
        places.append((place.x, place.y, place.z))
        turns.append((turn.w, turn.x, turn.y, turn.z))
        scales.append((scale.x, scale.y, scale.z))
    return np.array([places]), np.array([turns]), np.array([scales])


def _keys(keys: Any) -> tuple[np.ndarray, np.ndarray]:
    """(K,) seconds and (K, 3) or (K, 4) values."""
    rows = [(key.time, key.value) for key in keys]
    at = np.array([time for time, _ in rows])
    if hasattr(rows[0][1], "w"):
        return at, np.array([(value.w, value.x, value.y, value.z) for _, value in rows])
    return at, np.array([(value.x, value.y, value.z) for _, value in rows])


if __name__ == "__main__":
    main(sys.argv[1], sys.argv[2], json.loads(sys.argv[3]))
