"""Characters at a time: clips of any rate and length together."""

from dataclasses import replace

import numpy as np
import pytest
from people import jog

from randori.errors import RandoriError
from randori.motion.clip import Clip
from randori.render.camera import Focus
from randori.render.stage import Prop, Stage


def test_time_in_seconds_drives_clips_of_different_rates():
    slow, fast = Stage.of([jog(2.0, 25.0)]), Stage.of([jog(2.0, 100.0)])
    for time in (0.0, 0.52, 1.24):
        assert np.abs(slow.figures(time).start - fast.figures(time).start).max() < 0.01


def test_between_frames_a_body_is_between_them():
    stage = Stage.of([jog(2.0, 10.0)])
    before, between, after = (stage.figures(time).stop for time in (0.5, 0.54, 0.6))
    assert np.allclose(between, 0.6 * before + 0.4 * after)


def test_outside_its_clip_a_character_stands_still():
    stage = Stage.of([jog(1.0), jog(3.0, at=(2.0, 0.0))])
    assert stage.duration == 3.0
    count = len(stage.characters[0].mannequin.joints)
    assert np.array_equal(stage.figures(1.0).start[:count], stage.figures(2.5).start[:count])
    assert not np.array_equal(stage.figures(1.0).start[count:], stage.figures(2.5).start[count:])
    assert np.array_equal(stage.figures(-1.0).start, stage.figures(0.0).start)


def test_a_single_frame_is_enough():
    clip = jog()
    one = Clip("one", clip.skeleton, 30.0, clip.root_position[:1], clip.rotations[:1])
    assert np.array_equal(Stage.of([one]).figures(0.3).start, Stage.of([clip]).figures(0.0).start)


def test_long_clips_are_placed_piece_by_piece():
    stage = Stage.of([jog(20.0, 30.0)])
    clip, mannequin = stage.characters[0].clip, stage.characters[0].mannequin
    starts, _ = mannequin.place(clip.positions, clip.global_rotations)
    for frame in (0, 127, 128, 129, 500, 3):
        assert np.allclose(stage.figures(frame / 30.0).start, starts[frame])


def test_one_person_is_seen_from_the_front():
    times = np.linspace(0.0, 1.0, 5)
    for yaw in (0.0, 1.0, -2.0):
        turned = Stage.of([jog(yaw=yaw)]).front(times) - yaw
        assert np.cos(turned) > 0.7


def test_opponents_are_seen_from_the_side():
    times = np.linspace(0.0, 1.0, 5)
    pair = [jog(at=(-0.6, 0.0), yaw=np.pi / 2, speed=0.0), jog(at=(0.6, 0.0), yaw=-np.pi / 2, speed=0.0)]
    front = Stage.of(pair).front(times)
    assert abs(np.cos(front)) > 0.9  # from ±Z, across the line between them


def test_opponents_wear_different_colours():
    stage = Stage.of([jog(), jog()])
    shirts = [np.median(character.colour, axis=0) for character in stage.characters]
    assert np.abs(shirts[0] - shirts[1]).max() > 0.2


def test_an_empty_stage_is_said():
    with pytest.raises(RandoriError, match="no character"):
        Stage.of([])


def test_things_go_along_their_path_and_turn():
    path = np.array([[0.0, 0.0, 0.0, 0.0], [5.0, 1.0, 0.0, 0.5 * np.pi]])
    bar = Prop(np.zeros((1, 3)), np.array([[0.0, 0.0, 1.0]]), np.array([0.1]), (1.0, 1.0, 1.0), path, 1.0)
    assert np.allclose(bar.figures(0.0).stop, [[0.0, 0.0, 1.0]])
    assert np.allclose(bar.figures(1.0).stop, [[6.0, 1.0, 0.0]])
    still = Prop(bar.start, bar.stop, bar.radius, bar.colour)
    assert np.allclose(still.figures(9.0).stop, [[0.0, 0.0, 1.0]])


def test_the_best_side_is_that_of_those_who_are_looked_at():
    times = np.array([0.0, 1.0])
    crowd = [jog(yaw=0.0, speed=0.0), *(jog(at=(20.0, k), yaw=np.pi, speed=0.0) for k in range(3))]
    focus = Focus(np.zeros((1, 2)), np.array([2.0]), np.array([2.0]), 30.0)
    alone = Stage.of(crowd[:1]).front(times)
    assert Stage.of(crowd, focus=focus).front(times) == pytest.approx(alone)
    assert abs(Stage.of(crowd).front(times) - alone) > 1.0
    assert Stage.of(crowd, focus=replace(focus, front=1.25)).front(times) == 1.25
