"""Recordings in which something is wrong."""

from dataclasses import replace

import numpy as np

from randori.capture.problems import find_duplicates, find_problems, free_falls
from randori.capture.signals import observe
from randori.motion.clip import Clip
from randori.performer import perform


def kinds(clip: Clip) -> list[str]:
    return [problem.what for problem in find_problems(clip, observe(clip))]


def test_good_takes_have_no_problems() -> None:
    for name in ("boxing", "running", "reactions"):
        assert kinds(perform(name, seconds=40.0, seed=3)[0].clip) == [], name


def test_a_glitch_is_found_where_it_is() -> None:
    clip = perform("boxing", seconds=10.0, seed=1)[0].clip
    root = clip.root_position.copy()
    root[200] += [0.0, 0.6, 0.0]
    found = find_problems(broken := clip.with_frames(root, clip.rotations), observe(broken))
    assert [problem.what for problem in found] == ["glitch"]
    assert found[0].frames is not None
    first, last = found[0].frames
    assert first <= 200 < last <= 204


def test_frozen_frames_are_found() -> None:
    clip = perform("boxing", seconds=10.0, seed=1)[0].clip
    root, rotations = clip.root_position.copy(), clip.rotations.copy()
    root[100:160], rotations[100:160] = root[100], rotations[100]
    assert "frozen" in kinds(clip.with_frames(root, rotations))


def test_a_wrong_rate_shows_in_falling() -> None:
    clip = perform("running", seconds=40.0, seed=3)[0].clip
    assert np.isclose(np.median(free_falls(observe(clip))), 9.8, rtol=0.35)
    for factor in (0.5, 2.0):
        assert "frame rate" in kinds(replace(clip, fps=clip.fps * factor)), factor


def test_copies_are_found() -> None:
    clips = [perform("boxing", seconds=6.0, seed=seed)[0].clip for seed in (1, 2)]
    clips.append(replace(clips[0], name="copy"))
    assert [(number, problem.what) for number, problem in find_duplicates(clips)] == [(2, "duplicate")]
