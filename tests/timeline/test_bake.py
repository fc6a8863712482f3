"""Baking: every tick shows what was planned for it, joins are smooth, strikes are where they were planned."""

from dataclasses import replace

import numpy as np
import pytest

from randori.errors import RandoriError
from randori.graph.action_graph import ActionGraph
from randori.graph.joining import Walk
from randori.graph.walk_quality import join_peaks, planted_slides
from randori.timeline.bake import HEAD_START, SHIFT, bake_track, exact_ticks
from randori.timeline.timeline import FORCED, Timeline
from timeline_samples import random_timeline


def planned_frames(timeline: Timeline, character: int) -> np.ndarray:
    """The library's frame that was planned for each tick."""
    frames = np.zeros(timeline.ticks + 1, dtype=np.int64)
    for one in timeline.tracks[character].placed:
        ticks = np.arange(one.start, min(one.stop, timeline.ticks + 1))
        frames[ticks] = one.first + ticks - one.start
    return frames


def test_every_clip_has_a_frame_per_tick(sparring: Timeline, baked: list[Walk]):
    assert [len(walk.clip) for walk in baked] == [sparring.ticks + 1] * 2


def test_what_strikes_in_a_tick_is_shown_in_that_tick(
    sparring: Timeline, baked: list[Walk], striking: np.ndarray
):
    for character, walk in enumerate(baked):
        planned = planned_frames(sparring, character)[:-1]
        strikes = striking[planned]
        assert strikes.sum() > 50
        assert np.array_equal(walk.frame[:-1][strikes], planned[strikes])
        # and nothing that was not planned strikes
        assert not striking[walk.frame[:-1][~strikes]].any()


def test_cuts_move_by_a_few_ticks_and_not_at_interruptions(sparring: Timeline, baked: list[Walk]):
    moved = 0
    for character, walk in enumerate(baked):
        different = np.flatnonzero(walk.frame[:-1] != planned_frames(sparring, character)[:-1])
        cuts = np.array([one.start for one in sparring.tracks[character].placed])
        distance = np.abs(different[:, None] - cuts).min(axis=1)
        assert distance.max(initial=0) <= SHIFT
        moved += len(different)
        for one in sparring.tracks[character].placed:
            if one.cause == FORCED:
                assert 0 <= walk.frame[one.start] - one.first <= HEAD_START
                assert walk.blended[one.start - 1] != one.first  # nobody prepares for a blow
    assert moved > 0


def test_limbs_are_where_they_were_planned_when_they_strike(sparring: Timeline, baked: list[Walk]):
    off = []
    for character, walk in enumerate(baked):
        library = sparring.tracks[character].library
        hands = [library.skeleton.joint(f"{side}_hand") for side in ("left", "right")]
        for one in sparring.tracks[character].placed:
            ticks = np.arange(one.start, min(one.stop, sparring.ticks + 1))
            ticks = ticks[exact_ticks(sparring, character)[ticks]]
            planned = one.placement.move_points(library.positions[one.first + ticks - one.start][:, hands])
            off.append(np.linalg.norm(walk.clip.positions[ticks][:, hands] - planned, axis=-1).ravel())
    assert np.percentile(np.concatenate(off), 90) < 0.03


def test_joins_are_smooth_and_feet_stay(sparring: Timeline, baked: list[Walk]):
    for track, walk in zip(sparring.tracks, baked):
        assert np.mean(join_peaks(walk, track.library) <= track.library.usual_acceleration) >= 0.9
        assert np.mean(planted_slides(walk, track.library)[1] < 0.021) >= 0.9


def test_the_last_pose_is_held(sparring: Timeline):
    placed = sparring.tracks[0].placed[:3]
    short = replace(sparring, tracks=(replace(sparring.tracks[0], placed=placed),), events=())
    clip = bake_track(short, 0).clip
    assert len(clip) == sparring.ticks + 1
    assert np.array_equal(clip.rotations[placed[-1].stop], clip.rotations[-1])


def test_the_same_timeline_gives_the_same_bytes(sparring: Timeline, baked: list[Walk]):
    again = bake_track(sparring, 1)
    assert np.array_equal(again.clip.rotations, baked[1].clip.rotations)


def test_a_gap_is_refused(sparring_graph: ActionGraph):
    timeline = random_timeline(sparring_graph, 5.0, (1,))
    track = timeline.tracks[0]
    holed = replace(timeline, tracks=(replace(track, placed=track.placed[:1] + track.placed[2:]),))
    with pytest.raises(RandoriError, match="what follows starts in tick"):
        bake_track(holed, 0)
    late = replace(timeline, tracks=(replace(track, placed=track.placed[1:]),))
    with pytest.raises(RandoriError, match="nothing is done in tick 0"):
        bake_track(late, 0)
