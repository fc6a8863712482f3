"""People of several builds do what the average body did: with the same steps, on the same floor."""

from pathlib import Path

import numpy as np
import pytest

from randori.body import capsules, mannequin
from randori.body.builds import BUILDS, build_of, wear
from randori.formats import store
from randori.motion.clip import Clip
from randori.performer.proportions import BODIES


@pytest.fixture
def clip() -> Clip:
    skeleton = BODIES["average"].skeleton
    rng = np.random.default_rng(1)
    turns = rng.normal(0.0, 0.2, (5, len(skeleton), 4)) + np.array([1.0, 0.0, 0.0, 0.0])
    turns /= np.linalg.norm(turns, axis=-1, keepdims=True)
    return Clip("somebody", skeleton, 60.0, rng.normal(0.0, 1.0, (5, 3)), turns)


@pytest.mark.parametrize("number", range(len(BUILDS)))
def test_feet_stay_where_they_were_and_heights_are_within_four_percent(clip: Clip, number: int) -> None:
    worn = wear(clip, number)
    for part in ("left_foot", "right_toes", "left_thigh"):
        joint = clip.skeleton.joint(part)
        assert np.allclose(worn.positions[:, joint], clip.positions[:, joint], atol=1e-12)
    assert abs(worn.skeleton.height / clip.skeleton.height - 1.0) < 0.04


def test_people_differ_in_height_width_and_flesh_but_not_in_their_heads(clip: Clip) -> None:
    bodies = [wear(clip, number).skeleton for number in range(len(BUILDS))]
    assert np.ptp([body.height for body in bodies]) > 0.1
    girth = [capsules.fit(body).radii[1] for body in bodies]
    assert max(girth) > 1.15 * min(girth)
    stocky = next(body for body in bodies if body.girth > 1.1)
    thick, usual = mannequin.fit(stocky), mannequin.fit(clip.skeleton)
    thigh, head = thick.parts.index("left_thigh"), thick.parts.index("head")
    size = mannequin.scale_of(stocky) / mannequin.scale_of(clip.skeleton)
    assert thick.start_radii[thigh] == pytest.approx(stocky.girth * size * usual.start_radii[thigh])
    assert thick.start_radii[head] == pytest.approx(size * usual.start_radii[head])


def test_the_first_of_a_crowd_is_average_and_neighbours_differ() -> None:
    assert build_of(0) == 0
    assert {build_of(number) for number in range(len(BUILDS))} == set(range(len(BUILDS)))
    assert all(build_of(number) != build_of(number + 1) for number in range(40))


def test_a_file_keeps_the_build(clip: Clip, tmp_path: Path) -> None:
    worn = wear(clip, 2)
    store.write(tmp_path / "one.npz", worn)
    assert store.read(tmp_path / "one.npz").skeleton.girth == worn.skeleton.girth
    store.write(tmp_path / "other.npz", clip)
    assert store.read(tmp_path / "other.npz").skeleton.girth == 1.0
