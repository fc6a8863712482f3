"""Depth of overlap between bodies of capsules."""

import math

from randori.kernels.compile import kernel
from randori.kernels.contact import gap_squared


@kernel
def depths(a, a_radii, b, b_radii, out):
    """Metres (F, M, N) that capsule m of a body is inside capsule n of another; negative: apart.

    Capsules are (F, M, 2, 3) and (F, N, 2, 3) with radii (M,) and (N,); a capsule with a negative
    radius is not there, and nothing is inside it.
    """
    for f in range(a.shape[0]):
        for m in range(a.shape[1]):
            for n in range(b.shape[1]):
                if a_radii[m] < 0.0 or b_radii[n] < 0.0:
                    out[f, m, n] = -math.inf
                    continue
                squared = gap_squared(
                    a[f, m, 0, 0], a[f, m, 0, 1], a[f, m, 0, 2], a[f, m, 1, 0], a[f, m, 1, 1], a[f, m, 1, 2],
                    b[f, n, 0, 0], b[f, n, 0, 1], b[f, n, 0, 2], b[f, n, 1, 0], b[f, n, 1, 1], b[f, n, 1, 2],
                )  # fmt: skip
                out[f, m, n] = a_radii[m] + b_radii[n] - math.sqrt(squared)
