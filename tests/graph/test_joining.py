"""Joins that are spread over the time before and after a cut."""

import numpy as np
import pytest

from randori.graph.joining import JOIN_SECONDS, Piece, Walk, bake
from randori.graph.library import ActionLibrary
from randori.motion.placement import Placement


def jump(boxing: ActionLibrary, lead: float, fade: float = JOIN_SECONDS) -> Walk:
    """Two pieces that were not recorded in a row, the second one where the first one ends."""
    here, there = (Placement(*boxing.placements[frame]) for frame in (100, 1500))
    pieces = [Piece(0, 100, Placement()), Piece(1500, 1600, there.inverse().then(here), lead, fade)]
    return bake(boxing, pieces, "a jump")


@pytest.mark.parametrize(("lead", "fade"), [(0.0, 0.35), (0.2, 0.3), (0.3, 0.15)])
def test_a_join_changes_only_the_frames_it_may(boxing: ActionLibrary, lead: float, fade: float):
    walk = jump(boxing, lead, fade)
    head = boxing.skeleton.joint("head")
    turned = walk.clip.rotations[:, head] ** 2
    changed = np.flatnonzero(
        np.abs(turned - boxing.frames.rotations[walk.frame, head] ** 2).max(axis=-1) > 1e-9
    )
    first, last = 100 - round(lead * boxing.fps), 100 + round(fade * boxing.fps)
    assert changed.min() >= first
    assert changed.max() <= last
    assert np.array_equal(np.flatnonzero(walk.blended >= 0), np.arange(first, last))
    assert (walk.blended[first:100] == 1500).all()
    assert (walk.blended[100:last] == 100).all()


def test_with_a_lead_the_cut_is_on_the_way_between_both(boxing: ActionLibrary):
    def angle(one: np.ndarray, other: np.ndarray) -> float:
        return 2.0 * float(np.arccos(min(abs(float(one @ other)), 1.0)))

    before, after = (boxing.frames.rotations[frame] for frame in (100, 1500))
    free = [boxing.skeleton.joint(part) for part in ("left_forearm", "right_forearm", "head")]
    joint = max(free, key=lambda one: angle(before[one], after[one]))
    ends = before[joint], after[joint]
    apart = angle(*ends)
    assert apart > 0.05
    without, half = (jump(boxing, lead, 0.25).clip.rotations[100, joint] for lead in (0.0, 0.25))
    assert angle(without, ends[0]) == pytest.approx(0.0, abs=1e-4)
    assert angle(half, ends[0]) == pytest.approx(0.5 * apart, rel=0.05)
    assert angle(half, ends[1]) == pytest.approx(0.5 * apart, rel=0.05)


def test_velocities_go_on_through_the_cut(boxing: ActionLibrary):
    walk = jump(boxing, 0.2, 0.3)
    hands = [boxing.skeleton.joint(f"{side}_hand") for side in ("left", "right")]
    velocity = np.diff(walk.clip.positions[:, hands], axis=0) * boxing.fps
    steps = np.linalg.norm(np.diff(velocity, axis=0), axis=-1)
    assert steps[95:104].max() < 1.5 * np.percentile(steps, 95) + 0.2
