"""Places on the floor as a record: where a recording, a patch or a character goes."""

import numpy as np
from numpy.lib.recfunctions import structured_to_unstructured

PLACE = np.dtype(
    [
        ("x", np.float64),  # metres
        ("z", np.float64),  # metres
        ("yaw", np.float64),  # radians
    ],
    align=True,
)


def as_places(rows: np.ndarray) -> np.ndarray:
    """(…,) PLACE: rows (…, 3) of x, z, yaw as kernels want them; the same memory if it is contiguous."""
    return np.ascontiguousarray(rows, dtype=np.float64).view(PLACE)[..., 0]


def as_rows(places: np.ndarray) -> np.ndarray:
    """(…, 3) x, z, yaw of places (…,), which may be a field of a larger record: a view of them."""
    return structured_to_unstructured(places, copy=False)
