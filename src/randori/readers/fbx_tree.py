"""The nodes of an FBX file, parents first, as both readers of such files need them."""

from typing import Any, NamedTuple

import numpy as np

from randori.readers.limits import refuse

_held: list[Any] = []


def elements(listing: Any) -> list[Any]:
    """The elements of a list of the package.

    It hands each out without counting the reference; so one more is held here, or else it would be freed
    while it is used.
    """
    found = []
    for element in listing:
        _held.append(element)
        found.append(element)
    return found


class Tree(NamedTuple):
    """A file that ufbx has opened, and its nodes in an order in which parents come first."""

    scene: Any
    nodes: list[Any]
    parents: list[int]  # -1 for a root
    row_of: dict[int, int]  # where a node is, by its typed_id
    places: np.ndarray  # (N, 3), of the nodes without an animation, …
    turns: np.ndarray  # (N, 4) w x y z, …
    scales: np.ndarray  # … and (N, 3)


def open_tree(path: str, limits: dict[str, Any], **options: bool) -> Tree:
    """Open a file in metres and with y up; `options` are those of ufbx that leave something out."""
    import ufbx

    try:
        scene = ufbx.load_file(
            path,
            load_external_files=False,
            target_axes=ufbx.axes_right_handed_y_up,
            target_unit_meters=1.0,
            node_depth_limit=512,
            **options,
        )
    except ufbx.UfbxError as error:
        refuse(f"is not an FBX file that can be read: {str(error)[:200]}")
    nodes = elements(scene.nodes)
    if len(nodes) > limits["nodes"]:
        refuse(f"has {len(nodes)} nodes; at most {limits['nodes']} are read")
    number = {node.typed_id: place for place, node in enumerate(nodes)}
    parent = [number[node.parent.typed_id] if node.parent is not None else -1 for node in nodes]
    order = _parents_first(parent)
    new = {place: row for row, place in enumerate(order)}
    parents = [new[parent[place]] if parent[place] >= 0 else -1 for place in order]
    nodes = [nodes[place] for place in order]
    row_of = {node.typed_id: row for row, node in enumerate(nodes)}
    return Tree(scene, nodes, parents, row_of, *_rest(nodes))


def _parents_first(parent: list[int]) -> list[int]:
    """The numbers of all nodes, each after its parent."""
    below: list[list[int]] = [[] for _ in parent]
    for place, above in enumerate(parent):
        if above >= 0:
            below[above].append(place)
    order: list[int] = []
    waiting = [place for place, above in enumerate(parent) if above < 0]
    while waiting:
        place = waiting.pop()
        order.append(place)
        waiting += reversed(below[place])
    return order


def _rest(nodes: list[Any]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """(N, …) places, turns and scales of the nodes without an animation."""
    places, turns, scales = [], [], []
    for node in nodes:
        transform = node.local_transform
        place, turn, scale = transform.translation, transform.rotation, transform.scale
        places.append((place.x, place.y, place.z))
        turns.append((turn.w, turn.x, turn.y, turn.z))
        scales.append((scale.x, scale.y, scale.z))
    return np.array(places), np.array(turns), np.array(scales)
