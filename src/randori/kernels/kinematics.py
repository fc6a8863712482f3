"""Forward kinematics: from relative rotations to the places of joints."""

from randori.kernels.compile import kernel
from randori.kernels.rotation import compose, rotation_at, set_rotation, turn
from randori.kernels.vectors import row_of, set_row


@kernel
def place_joints(root, rotations, parents, offsets, positions, turned):
    """Fill the world position (J, 3) and rotation (J, 4) of every joint of one pose.

    root is the triple (x, y, z) in metres. Parents stand before their children, so one pass is enough.
    """
    for joint in range(len(parents)):
        parent = parents[joint]
        relative = rotation_at(rotations, joint)
        if parent < 0:
            set_row(positions, joint, root)
            set_rotation(turned, joint, relative)
        else:
            above = rotation_at(turned, parent)
            x, y, z = turn(above, row_of(offsets, joint))
            positions[joint, 0] = positions[parent, 0] + x
            positions[joint, 1] = positions[parent, 1] + y
            positions[joint, 2] = positions[parent, 2] + z
            set_rotation(turned, joint, compose(above, relative))


@kernel
def forward(root_position, rotations, parents, offsets, positions, global_rotations):
    """The same for all frames of a clip: world positions (F, J, 3) and rotations (F, J, 4)."""
    for f in range(rotations.shape[0]):
        root = row_of(root_position, f)
        place_joints(root, rotations[f], parents, offsets, positions[f], global_rotations[f])
