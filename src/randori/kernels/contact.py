"""The order of a body's capsules, and how far capsules are apart."""

from randori.kernels.compile import kernel

(
    HEAD,
    UPPER_TORSO,
    LOWER_TORSO,
    LEFT_UPPER_ARM,
    LEFT_FOREARM,
    LEFT_HAND,
    LEFT_THIGH,
    LEFT_SHIN,
    LEFT_FOOT,
    RIGHT_UPPER_ARM,
    RIGHT_FOREARM,
    RIGHT_HAND,
    RIGHT_THIGH,
    RIGHT_SHIN,
    RIGHT_FOOT,
    WEAPON,
) = range(16)
VITAL = (HEAD, UPPER_TORSO, LOWER_TORSO)  # capsules that can be hurt
DAMAGE = (2.0, 1.0, 1.0)  # of VITAL, per metre and second
GUARD = (LEFT_FOREARM, LEFT_HAND, RIGHT_FOREARM, RIGHT_HAND, WEAPON)  # capsules that stop a strike
# capsules that must not pass through another body
CORE = (HEAD, UPPER_TORSO, LOWER_TORSO, LEFT_THIGH, LEFT_SHIN, RIGHT_THIGH, RIGHT_SHIN)

_POINT = 1e-12  # metres², of a segment that is no longer than a point


@kernel
def nearest_points(ax, ay, az, bx, by, bz, cx, cy, cz, dx, dy, dz):
    """The nearest points of segments a-b and c-d: shares along both, the way from the second to the first.

    Twelve numbers instead of four points: it is called for every pair of capsules, whose ends lie in tables
    of many kinds and are often moved first.
    """
    ux, uy, uz = bx - ax, by - ay, bz - az
    vx, vy, vz = dx - cx, dy - cy, dz - cz
    wx, wy, wz = ax - cx, ay - cy, az - cz
    uu = ux * ux + uy * uy + uz * uz
    vv = vx * vx + vy * vy + vz * vz
    uw = ux * wx + uy * wy + uz * wz
    vw = vx * wx + vy * wy + vz * wz
    s, t = 0.0, 0.0
    if uu <= _POINT and vv > _POINT:
        t = min(max(vw / vv, 0.0), 1.0)
    elif uu > _POINT and vv <= _POINT:
        s = min(max(-uw / uu, 0.0), 1.0)
    elif uu > _POINT:
        uv = ux * vx + uy * vy + uz * vz
        across = uu * vv - uv * uv
        if across > 0.0:
            s = min(max((uv * vw - uw * vv) / across, 0.0), 1.0)
        t = (uv * s + vw) / vv
        # where the nearest point of one lies past its end, the other one's moves along
        if t < 0.0:
            t = 0.0
            s = min(max(-uw / uu, 0.0), 1.0)
        elif t > 1.0:
            t = 1.0
            s = min(max((uv - uw) / uu, 0.0), 1.0)
    return s, t, wx + s * ux - t * vx, wy + s * uy - t * vy, wz + s * uz - t * vz


@kernel
def gap_squared(ax, ay, az, bx, by, bz, cx, cy, cz, dx, dy, dz):
    """Metres²: the distance between the segments a-b and c-d, given as for `nearest_points`."""
    _, _, x, y, z = nearest_points(ax, ay, az, bx, by, bz, cx, cy, cz, dx, dy, dz)
    return x * x + y * y + z * z
