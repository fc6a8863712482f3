"""The rotation channels of motion files: angles in degrees to quaternions."""

import math

import numpy as np

from randori.kernels.compile import array_kernel, kernel

_RADIANS = math.pi / 180.0


@kernel
def half_turns(degrees, sines, cosines):
    """Sine and cosine of half of each angle (n,) in degrees.

    Written out as a plain loop over arrays, so that the processor does several at a time, and without
    the system's library, so that every machine gets the same bits. Quarters of a turn come out exact.
    """
    for n in range(degrees.shape[0]):
        # Step 1. The nearest quarter turn, and what is left: at most 45 degrees.
        half = 0.5 * degrees[n]
        quarters = np.floor(half / 90.0 + 0.5)
        x = (half - 90.0 * quarters) * _RADIANS
        # Step 2. Sine and cosine of that, by the series with its last terms adjusted (Cephes).
        z = x * x
        s = -2.50507477628578072866e-8 + z * 1.58962301576546568060e-10
        s = -1.98412698295895385996e-4 + z * (2.75573136213857245213e-6 + z * s)
        s = x + x * z * (-1.66666666666666307295e-1 + z * (8.33333333332211858878e-3 + z * s))
        c = 2.08757008419747316778e-9 - z * 1.13585365213876817300e-11
        c = 2.48015872888517045348e-5 + z * (-2.75573141792967388112e-7 + z * c)
        c = 4.16666666666665929218e-2 + z * (-1.38888888888730564116e-3 + z * c)
        c = 1.0 - 0.5 * z + z * z * c
        # Step 3. Turned back by the quarters: 0, 1, 2 or 3 of them.
        quarter = quarters - 4.0 * np.floor(0.25 * quarters)
        odd = abs(quarter - 2.0) == 1.0
        sine = c if odd else s
        cosine = s if odd else c
        sines[n] = -sine if quarter >= 2.0 else sine
        cosines[n] = -cosine if abs(quarter - 1.5) < 1.0 else cosine


@array_kernel
def turn(table, columns, axes, rotations):
    """Quaternions (F, J, 4) from the degrees in the columns (J, 3) of a table, about axes (J, 3).

    An axis is 0, 1 or 2 for x, y or z, or -1 where there is none. The first axis of a joint turns last,
    as BVH files write them.
    """
    sines, cosines = np.empty(table.shape[1]), np.empty(table.shape[1])
    for f in range(table.shape[0]):
        half_turns(table[f], sines, cosines)
        for j in range(columns.shape[0]):
            w, x, y, z = 1.0, 0.0, 0.0, 0.0
            for k in range(3):
                axis = axes[j, k]
                s, c = sines[columns[j, k]], cosines[columns[j, k]]
                if axis == 0:
                    w, x, y, z = w * c - x * s, x * c + w * s, y * c + z * s, z * c - y * s
                elif axis == 1:
                    w, x, y, z = w * c - y * s, x * c - z * s, y * c + w * s, z * c + x * s
                elif axis == 2:
                    w, x, y, z = w * c - z * s, x * c + y * s, y * c - x * s, z * c + w * s
            rotations[f, j, 0] = w
            rotations[f, j, 1] = x
            rotations[f, j, 2] = y
            rotations[f, j, 3] = z
