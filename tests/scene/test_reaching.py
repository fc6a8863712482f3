"""Dressed bodies stand and lean so that their blows land, and give each other room between blows."""

import numpy as np
import pytest

from randori.body.capsules import CAPSULES, fit
from randori.body.own_bodies import own_body
from randori.motion import rotations as rot
from randori.motion.clip import Clip
from randori.motion.parts import SIDES
from randori.physics.bending import Bend, bend
from randori.scene.reaching import bends_of, find_landings, shifts_of, spaced
from randori.timeline.timeline import Event

_FRAMES, _TICK = 120, 60


def _standing(x: float, height: float = 1.75) -> Clip:
    """A body in a T; its left hand points along +X."""
    skeleton = own_body("heavy", height)
    places, _ = skeleton.reference_pose
    root = np.tile(places[0] + np.array([x, 0.0, 0.0]), (_FRAMES, 1))
    return Clip("T", skeleton, 60.0, root, np.tile(skeleton.to_local(skeleton.reference), (_FRAMES, 1, 1)))


def _blow(part: str) -> Event:
    return Event(_TICK, "hit", 0, 1, "left_hand", part, 1.0, (0.0, 1.3, 0.0))


def _gap(clips: list[Clip], what: str, part: str) -> float:
    """Metres between two capsules in the tick of the blow, by points along them."""
    shown, radii = [], []
    for clip, name in zip(clips, (what, part)):
        body, which = fit(clip.skeleton), CAPSULES.index(name)
        ends = body.place(clip.positions[_TICK, None], clip.global_rotations[_TICK, None])[0, which]
        shown.append(ends[0] + np.linspace(0.0, 1.0, 21)[:, None] * (ends[1] - ends[0]))
        radii.append(body.radii[which])
    apart = np.linalg.norm(shown[0][:, None] - shown[1], axis=-1)
    return float(apart.min()) - sum(radii)


@pytest.mark.parametrize("changed", [(True, False), (False, True), (True, True)])
def test_a_short_arm_comes_near_enough(changed: tuple[bool, bool]) -> None:
    clips = [_standing(0.0), _standing(1.55)]
    assert _gap(clips, "left_hand", "upper_torso") > 0.3
    (landing,) = landings = find_landings(clips, changed, [_blow("upper_torso")])
    assert landing.event.part == "upper_torso"
    assert landing.shifts is not None
    for free, shift in zip(changed, landing.shifts):
        assert free or not shift.any()
    shifts = shifts_of(landings, 2, _FRAMES)
    bends = bends_of(landings, 2, _FRAMES)
    moved = []
    for clip, shift, how in zip(clips, shifts, bends):
        near = clip.with_frames(clip.root_position + shift, clip.rotations)
        moved.append(near if how is None else bend(near, how))
    assert _gap(moved, "left_hand", "upper_torso") < 0.035  # a bent arm straightens by that


def test_a_part_out_of_reach_is_exchanged_for_the_nearest_in_reach() -> None:
    clips = [_standing(0.0, 0.7), _standing(1.0, 1.9)]
    (landing,) = find_landings(clips, [True, False], [_blow("head")])
    assert landing.event.part != "head"
    assert landing.event.tick == _TICK


def test_what_strikes_without_a_limb_is_left_alone() -> None:
    clips = [_standing(0.0), _standing(1.6)]
    event = Event(_TICK, "block", 0, 1, "head", "head", 1.0, (0.0, 1.3, 0.0))
    (landing,) = find_landings(clips, [True, True], [event])
    assert landing == (event, None, None)
    assert not np.any(shifts_of([landing], 2, _FRAMES))
    assert bends_of([landing], 2, _FRAMES) == [None, None]


def test_wide_bodies_give_each_other_room() -> None:
    """One of them walks past the other, too near for their bellies, and away again."""
    walker, other = _standing(0.0), _standing(0.0)
    way = np.linspace(-1.5, 1.5, _FRAMES)
    walker = walker.with_frames(
        walker.root_position + np.column_stack([np.full(_FRAMES, 0.2), 0 * way, way]), walker.rotations
    )
    still = [np.zeros((_FRAMES, 3))] * 2
    shifts = spaced([walker, other], [True, False], still)
    assert not shifts[1].any()
    assert np.abs(shifts[0][[0, -1]]).max() < 1e-9
    moved = walker.with_frames(walker.root_position + shifts[0], walker.rotations)
    middles = np.linalg.norm((moved.root_position - other.root_position)[:, [0, 2]], axis=1)
    radius = fit(walker.skeleton).radii[CAPSULES.index("upper_torso")]
    assert middles.min() > 2.0 * radius - 0.025
    steps = np.diff(shifts[0], 2, axis=0) * 3600.0
    assert np.linalg.norm(steps, axis=1).max() < 40.0  # metres/s²: no jerk


def test_a_bent_body_stands_where_it_stood() -> None:
    clip = _standing(0.0)
    ones = np.ones((_FRAMES, 1))
    how = Bend(
        ones * np.array([0.05, -0.03, 0.0]),
        ones * np.array([0.0, 0.0, -0.3]),
        ones * np.array([0.0, 0.2, 0.0]),
    )
    leant = bend(clip, how)
    for side in SIDES:
        foot = clip.skeleton.joint(f"{side}_foot")
        assert leant.positions[:, foot] == pytest.approx(clip.positions[:, foot], abs=1e-3)
    chest, head = (clip.skeleton.joint(part) for part in ("chest", "head"))
    for joint, vector in ((chest, [0.0, 0.0, -0.3]), (head, [0.0, 0.2, 0.0])):
        before, after = clip.global_rotations[0, joint], leant.global_rotations[0, joint]
        turn = rot.multiply(after, rot.inverse(before))
        if joint == head:  # with the trunk, and by itself
            turn = rot.multiply(rot.from_rotation_vector([0.0, 0.0, 0.3]), turn)
        assert rot.to_rotation_vector(turn) == pytest.approx(vector, abs=1e-6)


def test_on_planted_feet_the_pelvis_sways_and_nobody_steps() -> None:
    clips = [_standing(0.0), _standing(1.2)]
    gap = _gap(clips, "left_hand", "upper_torso")
    (landing,) = find_landings(clips, [True, True], [_blow("upper_torso")], planted=True)
    assert landing.shifts is not None
    assert not landing.shifts.any()
    leant = [
        clip if how is None else bend(clip, how) for clip, how in zip(clips, bends_of([landing], 2, _FRAMES))
    ]
    assert _gap(leant, "left_hand", "upper_torso") < min(0.035, gap)
    for before, after in zip(clips, leant):  # straight legs give by half of what is noticed
        foot = before.skeleton.joint("left_foot")
        assert after.positions[:, foot] == pytest.approx(before.positions[:, foot], abs=1e-2)
