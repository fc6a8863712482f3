import numpy as np
import pytest

from randori.motion import rotations as rot
from randori.motion.clip import Clip
from randori.motion.skeleton import Skeleton


def test_duration_and_times(dance: Clip):
    assert len(dance) == 121
    assert dance.duration == pytest.approx(2.0)
    assert dance.times[[0, -1]].tolist() == pytest.approx([0.0, 2.0])


def test_two_rigs_of_one_body_agree(dance: Clip, odd_dance: Clip):
    assert np.allclose(odd_dance.positions, dance.positions)
    for part in ("pelvis", "head", "left_hand"):
        assert rot.angle_between(odd_dance.turned(part), dance.turned(part)).max() < 1e-7
        assert np.allclose(odd_dance.heading(part), dance.heading(part))


@pytest.mark.parametrize("yaw", [-2.0, 0.0, 0.5, 3.0])
def test_heading_is_where_a_part_looks(skeleton: Skeleton, yaw: float):
    rotations = np.tile(rot.IDENTITY, (2, len(skeleton), 1))
    rotations[:, 0] = rot.multiply(rot.from_yaw(yaw), rot.from_axis_angle(rot.X_AXIS, 0.3))
    clip = Clip("looking", skeleton, 30.0, np.zeros((2, 3)), rotations)
    assert clip.heading("head") == pytest.approx([yaw, yaw])


def test_tips_hang_on_their_joints(dance: Clip):
    tips = np.zeros((len(dance.skeleton), 3))
    head = dance.skeleton.joint("head")
    tips[head] = [0.0, 0.2, 0.0]
    skeleton = Skeleton(
        dance.skeleton.names, dance.skeleton.parents, dance.skeleton.offsets, tips, dance.skeleton.parts
    )
    clip = Clip("crowned", skeleton, dance.fps, dance.root_position, dance.rotations)
    away = np.linalg.norm(clip.tip_positions - clip.positions, axis=-1)
    assert np.allclose(away[:, head], 0.2)
    assert np.delete(away, head, axis=1).max() == 0.0


def test_other_frames_in_the_same_clip(dance: Clip):
    assert dance.positions is dance.positions
    moved = dance.with_frames(dance.root_position + 1.0, dance.rotations, name="moved")
    assert np.allclose(moved.positions, dance.positions + 1.0)
    assert (moved.name, moved.fps, moved.skeleton) == ("moved", dance.fps, dance.skeleton)
