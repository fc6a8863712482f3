"""Pairs of characters that come near each other, in a crowd."""

import numpy as np

from randori.kernels.compile import array_kernel


@array_kernel
def near_pairs(places, near):
    """(P, 2) int64, in order: the pairs of paths (N, F, 2) that ever come nearer to each other than `near`.

    Places and `near` are in metres.
    """
    found = np.empty((places.shape[0] * (places.shape[0] - 1) // 2, 2), dtype=np.int64)
    count = 0
    for first in range(places.shape[0]):
        for second in range(first + 1, places.shape[0]):
            for f in range(places.shape[1]):
                x = places[first, f, 0] - places[second, f, 0]
                z = places[first, f, 1] - places[second, f, 1]
                if x * x + z * z < near * near:
                    found[count, 0], found[count, 1] = first, second
                    count += 1
                    break
    return found[:count].copy()
