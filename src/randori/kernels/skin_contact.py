"""How far points on one skin are in another: by the nearest point of the other and its normal."""

import math

from randori.kernels.compile import kernel

# Cosine between the way to the nearest point and its normal: of a point inside they agree. Beyond the rim of
# an open mesh, or past a corner, the nearest normal says nothing.
_STRAIGHT = 0.8


@kernel
def depths(points, others, normals, thick, farthest, found, nearest):
    """Fill found (N,) with metres that points (N, 3) are in a skin of points (M, 3) with outward normals.

    No point is deeper in the skin than its flesh is thick there, (M,) metres: that would be beyond it.

    Negative outside: the distance to the nearest of the others, whose number goes to nearest (N,). Points
    farther away than `farthest` from all of them get -farthest and -1.
    """
    for n in range(len(points)):
        best, which = farthest * farthest, -1
        x, y, z = points[n, 0], points[n, 1], points[n, 2]
        for m in range(len(others)):
            dx, dy, dz = others[m, 0] - x, others[m, 1] - y, others[m, 2] - z
            square = dx * dx + dy * dy + dz * dz
            if square < best:
                best, which = square, m
        nearest[n] = which
        if which < 0:
            found[n] = -farthest
            continue
        dx, dy, dz = others[which, 0] - x, others[which, 1] - y, others[which, 2] - z
        out = dx * normals[which, 0] + dy * normals[which, 1] + dz * normals[which, 2]
        distance = math.sqrt(best)
        inside = out > _STRAIGHT * distance and distance < thick[which]
        found[n] = out if inside else -distance


@kernel
def deepest(bodies, normals, thick, used, farthest, found):
    """Fill found (F,) with metres that two skins (2, F, N, 3) are in each other, by points that are used.

    They are as thick as (2, N) metres say.
    """
    for f in range(bodies.shape[1]):
        most = 0.0
        for one in range(2):
            other = 1 - one
            for n in range(bodies.shape[2]):
                if not used[one, f, n]:
                    continue
                x, y, z = bodies[one, f, n, 0], bodies[one, f, n, 1], bodies[one, f, n, 2]
                best, which = farthest * farthest, -1
                for m in range(bodies.shape[2]):
                    if not used[other, f, m]:
                        continue
                    dx = bodies[other, f, m, 0] - x
                    dy = bodies[other, f, m, 1] - y
                    dz = bodies[other, f, m, 2] - z
                    square = dx * dx + dy * dy + dz * dz
                    if square < best:
                        best, which = square, m
                if which >= 0:
                    out = (
                        (bodies[other, f, which, 0] - x) * normals[other, f, which, 0]
                        + (bodies[other, f, which, 1] - y) * normals[other, f, which, 1]
                        + (bodies[other, f, which, 2] - z) * normals[other, f, which, 2]
                    )
                    distance = math.sqrt(best)
                    if out > _STRAIGHT * distance and distance < thick[other, which]:
                        most = max(most, out)
        found[f] = most
