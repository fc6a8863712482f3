import numpy as np
import pytest
from scipy.spatial.transform import Rotation

from randori.errors import BodyPartError
from randori.motion import rotations as rot
from randori.motion.skeleton import Skeleton


def test_build_keeps_names_parents_and_offsets():
    skeleton = Skeleton.build(
        [("Hips", None, (0, 0, 0)), ("Leg", "Hips", (0, -1, 0)), ("Foot", "Leg", (0, -1, 0.5))]
    )
    assert skeleton.parents.tolist() == [-1, 0, 1]
    assert skeleton.children == ((1,), (2,), ())
    assert skeleton.lengths.tolist() == pytest.approx([0.0, 1.0, np.sqrt(1.25)])
    assert skeleton.length_between(2, 0) == pytest.approx(1.0 + np.sqrt(1.25))
    with pytest.raises(ValueError, match="Foot is not above Leg"):
        skeleton.length_between(1, 2)


def recursive(
    skeleton: Skeleton, joint: int, root: np.ndarray, local: np.ndarray
) -> tuple[np.ndarray, Rotation]:
    """Position and rotation of a joint in the world: the definition, one joint at a time."""
    turn = Rotation.from_quat(local[joint], scalar_first=True)
    parent = int(skeleton.parents[joint])
    if parent < 0:
        return root, turn
    position, above = recursive(skeleton, parent, root, local)
    return position + above.apply(skeleton.offsets[joint]), above * turn


@pytest.mark.parametrize("rig", ["skeleton", "odd_skeleton"])
def test_forward_agrees_with_the_definition(rig: str, request: pytest.FixtureRequest):
    skeleton = request.getfixturevalue(rig)
    random = np.random.default_rng(0)
    local = rot.normalize(random.normal(size=(4, len(skeleton), 4)))
    root = random.normal(size=(4, 3))
    positions, turned = skeleton.forward(root, local)
    for frame in range(4):
        for joint in range(len(skeleton)):
            position, turn = recursive(skeleton, joint, root[frame], local[frame])
            assert np.allclose(positions[frame, joint], position)
            assert np.allclose(rot.to_matrix(turned[frame, joint]), turn.as_matrix())


def test_to_local_undoes_forward(skeleton: Skeleton):
    local = rot.normalize(np.random.default_rng(1).normal(size=(5, len(skeleton), 4)))
    _, turned = skeleton.forward(np.zeros((5, 3)), local)
    assert rot.angle_between(skeleton.to_local(turned), local).max() < 1e-7


def test_the_reference_pose_is_the_same_whatever_a_rig_calls_zero(skeleton: Skeleton, odd_skeleton: Skeleton):
    positions, _ = skeleton.reference_pose
    assert np.allclose(odd_skeleton.reference_pose[0], positions)
    assert positions[:, 1].min() == pytest.approx(0.0)
    assert positions[skeleton.joint("left_hand"), 0] > 0.6
    assert positions[skeleton.joint("head"), 1] > 1.4


def test_scaled_bones_are_longer(skeleton: Skeleton):
    assert np.allclose(skeleton.scaled(2.0).lengths, 2.0 * skeleton.lengths)


def test_a_missing_part_is_an_error_that_lists_the_joints():
    skeleton = Skeleton.build([("Hips", None, (0, 0, 0)), ("Tail", "Hips", (0, 0, -1))])
    with pytest.raises(BodyPartError, match=r"left hand.*Hips, Tail"):
        skeleton.joint("left_hand")
