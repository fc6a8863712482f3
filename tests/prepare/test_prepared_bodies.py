"""Equations 1 to 5, and feet that stay where they stand."""

from itertools import pairwise

import numpy as np
import pytest

from randori.body import mannequin
from randori.errors import RandoriError
from randori.kernels.prepared_pose import weight
from randori.motion import rotations as rot
from randori.motion.clip import Clip
from randori.motion.feet import foot_contacts, foot_points, foot_slide
from randori.prepare.bodies import LOWER_CURVE, UPPER_CURVE, blend_clip, find_curves
from randori.prepare.repertoire import Repertoire


@pytest.fixture(scope="module")
def walk(repertoire: Repertoire) -> tuple[int, int]:
    """First and last frame of some steps in a row."""
    library = repertoire.library
    steps = [a for a in range(len(library)) if library.tags[a].technique == "walk"]
    for first in range(len(steps) - 4):
        row = steps[first : first + 4]
        if all(library.actions.stop[a] == library.actions.start[b] for a, b in pairwise(row)):
            return int(library.actions.start[row[0]]), int(library.actions.stop[row[-1]])
    raise AssertionError("nobody walks four steps in a row")


@pytest.mark.parametrize("curve", [0.5, 1.0, 2.0, 3.0])
def test_equation_1_at_its_ends_and_between(curve: float):
    assert weight(0.0, curve) == 0.0
    assert weight(1.0, curve) == 1.0
    for level in (0.1, 0.4, 0.75):
        assert weight(level, curve) == pytest.approx((1 - (1 - level) ** curve) ** (1 / curve))


def test_arms_lead_and_legs_follow_in_a_straight_line(repertoire: Repertoire):
    curves, skeleton = find_curves(repertoire.library.skeleton), repertoire.library.skeleton
    for part in ("left_upper_arm", "right_forearm", "chest", "head"):
        assert curves[skeleton.joint(part)] == UPPER_CURVE
    for part in ("pelvis", "left_thigh", "right_shin", "left_foot", "right_toes"):
        assert curves[skeleton.joint(part)] == LOWER_CURVE
    for level in (0.1, 0.3, 0.5, 0.7, 0.9):
        assert weight(level, LOWER_CURVE) == pytest.approx(level)
        assert weight(level, UPPER_CURVE) > level + 0.05


def test_curves_can_be_edited_by_part(repertoire: Repertoire):
    skeleton = repertoire.library.skeleton
    assert find_curves(skeleton, {"left_hand": 3.0})[skeleton.joint("left_hand")] == 3.0
    with pytest.raises(RandoriError, match="left_hand"):
        find_curves(skeleton, {"left_hand": 0.0})


def test_unprepared_is_the_locomotion_exactly(repertoire: Repertoire, walk: tuple[int, int]):
    first, last = walk
    reference = repertoire.find("punch").reference
    recorded = repertoire.library.clip(first, last)
    levels = np.zeros(len(recorded))
    free = blend_clip(repertoire.library, repertoire.model, first, last, reference, levels, held=False)
    assert np.abs(free.root_position - recorded.root_position).max() < 1e-9
    assert rot.angle_between(free.rotations, recorded.rotations).max() < 1e-6
    held = blend_clip(repertoire.library, repertoire.model, first, last, reference, levels)
    assert np.abs(held.positions - recorded.positions).max() < 0.01


def test_fully_prepared_is_the_reference_posture(repertoire: Repertoire, walk: tuple[int, int]):
    first, last = walk
    for target in repertoire.targets.values():
        levels = np.ones(last - first + 1)
        clip = blend_clip(
            repertoire.library, repertoire.model, first, last, target.reference, levels, held=False
        )
        wanted = repertoire.library.frames.rotations[target.reference]
        assert rot.angle_between(clip.rotations[:, 1:], wanted[1:]).max() < 1e-6, target.technique
        assert np.ptp(clip.root_position[:, [0, 2]], axis=0).max() < 1e-9


def test_in_between_every_joint_goes_its_own_share_of_the_way(repertoire: Repertoire, walk: tuple[int, int]):
    first, last = walk
    target, library = repertoire.find("punch"), repertoire.library
    levels = np.full(last - first + 1, 0.4)
    clip = blend_clip(library, repertoire.model, first, last, target.reference, levels, held=False)
    recorded, wanted = library.frames.rotations[first : last + 1], library.frames.rotations[target.reference]
    for part, share in (("left_thigh", 0.4), ("right_upper_arm", 0.8)):
        joint = library.skeleton.joint(part)
        whole = rot.angle_between(recorded[:, joint], wanted[joint])
        gone = rot.angle_between(recorded[:, joint], clip.rotations[:, joint])
        assert np.allclose(gone, share * whole, atol=1e-6)


def test_the_way_is_shorter_by_the_weight_of_the_root(repertoire: Repertoire, walk: tuple[int, int]):
    first, last = walk
    library = repertoire.library
    way = np.linalg.norm(np.diff(library.frames.root_position[first : last + 1, [0, 2]], axis=0), axis=1)
    for level in (0.2, 0.6):
        levels = np.full(last - first + 1, level)
        reference = repertoire.find("crawl under").reference
        clip = blend_clip(library, repertoire.model, first, last, reference, levels, held=False)
        gone = np.linalg.norm(np.diff(clip.root_position[:, [0, 2]], axis=0), axis=1)
        assert np.allclose(gone, (1.0 - level) * way, atol=1e-9)


def test_the_root_goes_down_as_much_as_the_feet_would_come_up(repertoire: Repertoire, walk: tuple[int, int]):
    first, last = walk
    library = repertoire.library
    levels = np.full(last - first + 1, 0.7)
    reference = repertoire.find("duck under").reference
    clip = blend_clip(library, repertoire.model, first, last, reference, levels, held=False)
    before = foot_points(library.clip(first, last))[:, :, 1, 1].mean(axis=1)
    after = foot_points(clip)[:, :, 1, 1].mean(axis=1)
    assert np.allclose(before, after, atol=1e-6)
    assert clip.root_position[:, 1].mean() < library.frames.root_position[first : last + 1, 1].mean() - 0.02


def test_planted_feet_stay_and_no_foot_goes_below_the_floor(repertoire: Repertoire, walk: tuple[int, int]):
    first, last = walk
    library = repertoire.library
    levels = np.linspace(0.0, 1.0, last - first + 1)
    recorded = library.clip(first, last)
    slides = []
    for target in repertoire.targets.values():
        clip = blend_clip(library, repertoire.model, first, last, target.reference, levels)
        # what stands is found anew, as somebody who looks would
        slides += foot_slide(clip, foot_contacts(clip)).tolist()
        assert foot_points(clip)[..., 1].min() > foot_points(recorded)[..., 1].min() - 0.01, target.technique
    # people notice 21 mm
    assert np.mean(np.array(slides) < 0.021) > 0.95
    assert max(slides) < 0.05


def test_what_lies_is_laid_on_the_floor(repertoire: Repertoire):
    """The library keeps its recording; the model has it above the floor."""
    action, first = repertoire.fall()
    last = int(repertoire.library.actions.stop[action])
    model, recorded = repertoire.model, repertoire.library.clip(first, last)
    laid = recorded.with_frames(model.root[first : last + 1], model.rotations[first : last + 1])
    assert lowest(recorded) < -0.01 < lowest(laid)


def lowest(clip: Clip) -> float:
    """Metres over the floor, of all that is drawn."""
    body = mannequin.fit(clip.skeleton)
    starts, stops = body.place(clip.positions, clip.global_rotations)
    return float(min((starts[..., 1] - body.start_radii).min(), (stops[..., 1] - body.stop_radii).min()))


def test_a_body_falls_the_way_that_the_blow_drives_it(repertoire: Repertoire):
    for blow in (0.0, np.pi):  # from behind, and from the front
        action, first = repertoire.fall(blow)
        model, last = repertoire.model, int(repertoire.library.actions.stop[action])
        heading = model.heading[first]
        way = (model.root[last] - model.root[first])[[0, 2]] @ [np.sin(heading), np.cos(heading)]
        assert way * np.cos(blow) > 0.2


def test_nobody_glides_while_it_stands(repertoire: Repertoire):
    gaits = repertoire.gaits
    tags = repertoire.library.tags
    stands = [move for move in np.unique(gaits.idle).tolist() if tags[gaits.move[move]].technique == "stand"]
    assert stands
    seconds = repertoire.library.durations[gaits.move[stands]]
    assert (np.hypot(*gaits.travel[stands, 0, :2].T) < 0.1 * seconds).all()
