"""Movements of the floor: turns about the vertical and shifts, on scalars, for use inside other kernels.

Heights never change, so a point is x and z in metres. A yaw turns +Z towards +X. A placement is given as
the cosine and the sine of its yaw and its shift in x and z: a turn about the origin, then the shift.

Sums are in one fixed order, so that everything that the same placement moves gets the same bits everywhere.
"""

from randori.kernels.compile import kernel


@kernel
def turn_direction(cosine, sine, x, z):
    """A direction, turned by a yaw: from the character's view into the world."""
    return cosine * x + sine * z, cosine * z - sine * x


@kernel
def turn_direction_back(cosine, sine, x, z):
    """A direction, turned by the opposite of a yaw: from the world into the character's view."""
    return cosine * x - sine * z, cosine * z + sine * x


@kernel
def move_point(cosine, sine, shift_x, shift_z, x, z):
    """A point, moved by a placement: from the recording into the world."""
    return cosine * x + sine * z + shift_x, cosine * z - sine * x + shift_z


@kernel
def move_point_back(cosine, sine, shift_x, shift_z, x, z):
    """A point, moved by the inverse of a placement: from the world to where the placement took it from."""
    away_x, away_z = x - shift_x, z - shift_z
    return cosine * away_x - sine * away_z, cosine * away_z + sine * away_x


@kernel
def shift_between(cosine, sine, x, z, goal_x, goal_z):
    """The shift of the placement with a given yaw that moves the point x, z to the goal."""
    return goal_x - (cosine * x + sine * z), goal_z - (cosine * z - sine * x)


@kernel
def add_yaws(cosine, sine, other_cosine, other_sine):
    """Cosine and sine of the sum of two yaws."""
    return cosine * other_cosine - sine * other_sine, sine * other_cosine + cosine * other_sine


@kernel
def compose_placements(cosine, sine, shift_x, shift_z, inner_cosine, inner_sine, inner_x, inner_z):
    """Cosine, sine and shift of the inner placement followed by the first one."""
    x, z = move_point(cosine, sine, shift_x, shift_z, inner_x, inner_z)
    whole_cosine, whole_sine = add_yaws(cosine, sine, inner_cosine, inner_sine)
    return whole_cosine, whole_sine, x, z
