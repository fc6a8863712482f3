"""Libraries: frames of all clips in a row, actions as ranges, and where everything came from."""

from dataclasses import replace

import numpy as np
import pytest
from known_actions import known_actions

from randori.capture.actions import Analysis, Segment, Strike, Tags
from randori.errors import RandoriError
from randori.graph.library import EFFECTORS, ActionLibrary, build_library, mirror_segment
from randori.motion import rotations as rot
from randori.motion.clip import Source
from randori.motion.editing import crop, resample
from randori.motion.placement import Placement
from randori.performer import BODIES, Recording, perform


def test_every_frame_knows_its_clip_and_its_frame_in_the_file(boxing_take: Recording):
    clip = crop(boxing_take.clip, 0, 300)
    source = Source(file="a.bvh", dropped_frames=1, licence="CC0", credit="somebody")
    slow = replace(resample(clip, 30.0), name="slow", source=source)
    whole = Tags("transition", "stand")
    library = build_library(
        [(clip, Analysis((Segment(0, 300, whole),))), (slow, Analysis((Segment(0, len(slow), whole),)))]
    )
    assert [(part.start, part.stop) for part in library.clips] == [(0, 300), (300, 300 + 2 * len(slow) - 1)]
    assert library.clips[1].source == source
    assert library.clips[1].fps == 30.0
    frame = library.clips[1].start + 101
    assert library.frames.clip[frame] == 1
    # 101 frames at 60 per second are 50.5 at 30; the file has a T-pose in front
    assert library.frames.source_frame[frame] in (51, 52)


def test_actions_follow_on_each_other_and_keep_their_tags_and_strikes(
    boxing: ActionLibrary, boxing_take: Recording
):
    truth = boxing_take.truth.actions
    assert len(boxing) == len(truth)
    assert np.array_equal(boxing.actions.stop[:-1], boxing.actions.start[1:])
    assert [tags.technique for tags in boxing.tags] == [action.technique for action in truth]
    for action, known in enumerate(truth):
        strikes = range(boxing.actions.strike_start[action], boxing.actions.strike_start[action + 1])
        assert len(strikes) == len(known.strikes)
        for number, strike in zip(strikes, known.strikes):
            assert EFFECTORS[boxing.strikes.effector[number]] == strike.effector
            assert abs(boxing.strikes.peak[number] / boxing.fps - strike.peak) < 0.02


def test_displacement_leads_from_the_start_to_the_end(boxing: ActionLibrary):
    for action in (0, 5, 17):
        clip = boxing.action_clip(action)
        x, z, yaw = boxing.actions.displacement[action]
        end = Placement(x, z, yaw).then(Placement.of(clip, 0))
        assert np.allclose((end.x, end.z), clip.root_position[-1, [0, 2]], atol=1e-9)
        assert np.isclose(end.yaw, Placement.of(clip, len(clip) - 1).yaw)


def test_mirroring_doubles_a_library(boxing_take: Recording, boxing: ActionLibrary):
    both = build_library([(boxing_take.clip, known_actions(boxing_take))], mirrored=True)
    assert len(both) == 2 * len(boxing)
    assert both.clips[1].mirrored
    count = len(boxing)
    for action in range(count):
        assert {"left": "right", "right": "left"}.get(both.tags[action].side, both.tags[action].side) == (
            both.tags[count + action].side
        )
    assert np.allclose(both.actions.displacement[:count] * [-1, 1, -1], both.actions.displacement[count:])
    left, right = boxing.skeleton.joint("left_hand"), boxing.skeleton.joint("right_hand")
    length = len(both.positions) // 2
    assert np.allclose(both.positions[:length, left] * [-1, 1, 1], both.positions[length:, right], atol=1e-9)


def test_words_are_mirrored_too():
    strike = Strike("left_foot", 1, 3, 2, 2, 8.0)
    seen = mirror_segment(Segment(0, 9, Tags("transition", "step left", "left", "", "right"), 1.0, (strike,)))
    assert seen.tags == Tags("transition", "step right", "right", "", "left")
    assert seen.strikes[0].effector == "right_foot"


def test_clips_of_different_actors_come_onto_the_skeleton_with_most_seconds(boxing_take: Recording):
    tall = perform("boxing", 5.0, seed=1, body="tall")[0]
    library = build_library(
        [(tall.clip, known_actions(tall)), (boxing_take.clip, known_actions(boxing_take))]
    )
    assert np.allclose(library.skeleton.offsets, BODIES["average"].skeleton.offsets)
    # a tall actor's pelvis comes down to the height of an average one
    pelvis = library.positions[: library.clips[0].stop, 0, 1]
    assert abs(np.median(pelvis) - np.median(boxing_take.clip.positions[:, 0, 1])) < 0.03


def test_a_recording_that_comes_twice_is_noticed(boxing_take: Recording):
    clip = crop(boxing_take.clip, 0, 120)
    found = Analysis((Segment(0, 120, Tags("transition", "stand")),))
    library = build_library([(clip, found), (replace(clip, name="again"), found)])
    assert library.clips[0].problems == ()
    assert "is the motion of" in library.clips[1].problems[0].message


def test_somebody_who_never_stands_lies_on_the_same_floor(boxing_take: Recording):
    """Two takes of one actor, one of which hangs in the air: it is not pulled down to the floor."""
    standing = crop(boxing_take.clip, 0, 120)
    hanging = standing.with_frames(
        standing.root_position + 0.3 * rot.Y_AXIS, standing.rotations, name="hanging"
    )
    found = Analysis((Segment(0, 120, Tags("transition", "stand")),))
    library = build_library([(standing, found), (replace(standing, name="b"), found), (hanging, found)])
    heights = [library.positions[clip.start : clip.stop, 0, 1].mean() for clip in library.clips]
    assert heights[0] == pytest.approx(heights[1])
    assert heights[2] == pytest.approx(heights[0] + 0.3)


def test_bad_segments_are_refused(boxing_take: Recording):
    clip = crop(boxing_take.clip, 0, 100)
    tags = Tags("attack", "jab")
    for segments in ([Segment(0, 101, tags)], [Segment(0, 60, tags), Segment(50, 90, tags)]):
        with pytest.raises(RandoriError, match="frame"):
            build_library([(clip, Analysis(tuple(segments)))])
    with pytest.raises(RandoriError, match="at least one"):
        build_library([])


def test_a_stub_goes_with_its_neighbour(boxing_take: Recording):
    clip = crop(boxing_take.clip, 0, 100)
    segments = (Segment(0, 50, Tags("attack", "jab")), Segment(50, 53, Tags("defence", "duck")))
    library = build_library([(clip, Analysis(segments))])
    assert [tags.technique for tags in library.tags] == ["jab"]
    assert library.actions.stop[0] == 53
