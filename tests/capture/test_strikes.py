"""Effective strikes: from where to where a fist or a foot could hurt, and where its tip is then."""

import numpy as np
import pytest

from randori.capture.actions import Segment
from randori.capture.analysis import analyse
from randori.capture.strikes import hitting_points
from randori.motion.clip import Clip
from randori.performer import perform


@pytest.fixture(scope="module")
def boxing() -> tuple[Clip, tuple[Segment, ...]]:
    clip = perform("boxing", seconds=60.0, seed=41)[0].clip
    return clip, analyse(clip).segments


def test_a_strike_lies_in_its_segment_and_holds_its_peak(boxing: tuple[Clip, tuple[Segment, ...]]) -> None:
    _, segments = boxing
    strikes = [(segment, strike) for segment in segments for strike in segment.strikes]
    assert len(strikes) > 20
    for segment, strike in strikes:
        assert segment.tags.kind == "attack"
        assert segment.start <= strike.peak < segment.stop
        assert strike.start <= strike.peak < strike.stop


def test_straight_punches_hit_in_front(
    boxing: tuple[Clip, tuple[Segment, ...]],
) -> None:
    clip, segments = boxing
    heading = clip.heading("head")
    seen = 0
    for segment in segments:
        if segment.tags.technique not in ("jab", "straight"):
            continue
        for strike in segment.strikes:
            points = hitting_points(clip, strike)
            assert points.shape == (strike.stop - strike.start, 3)
            pelvis = clip.positions[strike.start : strike.stop, clip.skeleton.joint("pelvis")]
            yaw = heading[strike.start : strike.stop]
            ahead = (points - pelvis)[:, [0, 2]] * np.stack([np.sin(yaw), np.cos(yaw)], axis=-1)
            assert ahead.sum(axis=-1).max() > 0.4  # metres
            assert 0.6 < points[:, 1].max() < 2.0
            seen += 1
    assert seen > 8
