"""Pairs of characters that come near each other, in a crowd."""

import numpy as np

from randori.kernels.compile import array_kernel


@array_kernel
def near_pairs(places, near):
    """(P, 2) int64, in order: the pairs of paths (N, F, 2) that come nearer to each other than so, ever."""
    found = np.empty((places.shape[0] * (places.shape[0] - 1) // 2, 2), dtype=np.int64)
    count = 0
    for one in range(places.shape[0]):
        for other in range(one + 1, places.shape[0]):
            for f in range(places.shape[1]):
                x = places[one, f, 0] - places[other, f, 0]
                z = places[one, f, 1] - places[other, f, 1]
                if x * x + z * z < near * near:
                    found[count, 0], found[count, 1] = one, other
                    count += 1
                    break
    return found[:count].copy()
