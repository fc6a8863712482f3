"""Pictures of crowds: what is small is seen, and so is what leads to an event."""

import numpy as np

from randori.scene.groups import least_hidden


def test_the_mouse_is_seen_from_the_side_where_nobody_stands() -> None:
    way = np.zeros((100, 2))
    # people in a half circle in front of it, seen from +Z
    angles = np.linspace(-1.2, 1.2, 15)
    people = 0.8 * np.column_stack([np.sin(angles), np.cos(angles)])
    roots = np.repeat(people[:, None], 100, axis=1)
    front = least_hidden(way, roots, np.radians(50.0))
    assert np.cos(front) < 0.2  # not from +Z
