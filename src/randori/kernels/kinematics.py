"""Forward kinematics over all frames of a clip."""

from randori.kernels.compile import kernel
from randori.kernels.rotation import multiply, rotate


@kernel
def forward(root_position, rotations, parents, offsets, positions, global_rotations):
    """Fill the world position (F, J, 3) and rotation (F, J, 4) of every joint.

    Parents stand before their children, so one pass is enough.
    """
    frames, joints = rotations.shape[0], rotations.shape[1]
    for f in range(frames):
        for j in range(joints):
            w, x, y, z = rotations[f, j, 0], rotations[f, j, 1], rotations[f, j, 2], rotations[f, j, 3]
            p = parents[j]
            if p < 0:
                positions[f, j, 0] = root_position[f, 0]
                positions[f, j, 1] = root_position[f, 1]
                positions[f, j, 2] = root_position[f, 2]
            else:
                pw, px = global_rotations[f, p, 0], global_rotations[f, p, 1]
                py, pz = global_rotations[f, p, 2], global_rotations[f, p, 3]
                dx, dy, dz = rotate(pw, px, py, pz, offsets[j, 0], offsets[j, 1], offsets[j, 2])
                positions[f, j, 0] = positions[f, p, 0] + dx
                positions[f, j, 1] = positions[f, p, 1] + dy
                positions[f, j, 2] = positions[f, p, 2] + dz
                w, x, y, z = multiply(pw, px, py, pz, w, x, y, z)
            global_rotations[f, j, 0] = w
            global_rotations[f, j, 1] = x
            global_rotations[f, j, 2] = y
            global_rotations[f, j, 3] = z
