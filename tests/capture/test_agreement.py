"""What is found in performed takes, against what was planned: bodies and seeds that nothing was tuned on."""

import pytest

from randori.capture.actions import Analysis
from randori.capture.analysis import analyse
from randori.capture.scoring import Score, score
from randori.performer import perform

# boundaries F1, kind, technique, side: a little below what is reached, for a minute is little
LEAST = {
    "boxing": (0.87, 0.91, 0.88, 0.90),
    "boxing-tired": (0.86, 0.92, 0.88, 0.90),
    "sword": (0.85, 0.93, 0.87, 0.90),
    "locomotion": (0.95, 0.97, 0.95, 0.96),
    "running": (0.94, 0.97, 0.87, 0.96),
    "targets": (0.92, 0.96, 0.88, 0.95),
    "crowd": (0.90, 0.95, 0.86, 0.95),
    "reactions": (0.89, 0.92, 0.90, 0.95),
    "luggage": (0.88, 0.94, 0.88, 0.92),
    "football": (0.88, 0.95, 0.84, 0.92),
}


@pytest.mark.parametrize("set_name", LEAST)
def test_takes_are_understood(set_name: str) -> None:
    recording = perform(set_name, seconds=60.0, seed=31, body="tall")[0]
    found = score(analyse(recording.clip), recording.truth)
    boundaries, kind, technique, side = LEAST[set_name]
    assert found.boundaries.f1 >= boundaries, found.summary()
    assert found.kinds.recall >= kind, found.summary()
    assert found.techniques.recall >= technique, found.summary()
    assert found.sides.recall >= side, found.summary()
    assert found.strikes.recall >= 0.93, found.summary()


@pytest.mark.parametrize("fps", [30.0, 120.0])
def test_frame_rate_hardly_matters(fps: float) -> None:
    recording = perform("boxing", seconds=60.0, seed=31, fps=fps)[0]
    found = score(analyse(recording.clip), recording.truth)
    assert found.boundaries.f1 >= 0.86, found.summary()
    assert found.techniques.recall >= 0.86, found.summary()


def test_every_frame_belongs_to_one_segment() -> None:
    recording = perform("boxing", seconds=20.0, seed=5)[0]
    analysis = analyse(recording.clip)
    assert analysis.segments[0].start == 0
    assert analysis.segments[-1].stop == len(recording.clip)
    for before, after in zip(analysis.segments, analysis.segments[1:]):
        assert before.stop == after.start


def test_same_take_same_analysis() -> None:
    recording = perform("boxing", seconds=15.0, seed=6)[0]
    assert analyse(recording.clip) == analyse(recording.clip)


def test_strikes_are_inside_their_segment_and_window() -> None:
    recording = perform("boxing", seconds=40.0, seed=7)[0]
    strikes = [(s, strike) for s in analyse(recording.clip).segments for strike in s.strikes]
    assert len(strikes) > 15
    for segment, strike in strikes:
        assert segment.start <= strike.peak < segment.stop
        assert strike.start <= strike.peak < strike.stop
        assert strike.speed > 2.0
        assert strike.extension >= strike.peak


def test_short_clips_are_no_trouble() -> None:
    clip = perform("boxing", seconds=2.0, seed=1)[0].clip
    for length in (1, 2, 3, 7, 20):
        piece = clip.with_frames(clip.root_position[:length], clip.rotations[:length])
        assert analyse(piece).segments[-1].stop == length


def test_a_perfect_analysis_scores_one() -> None:
    truth = perform("boxing", seconds=15.0, seed=3)[0].truth
    from randori.capture.actions import Segment, Strike, Tags

    segments = tuple(
        Segment(
            a.start,
            a.stop,
            Tags(a.kind, a.technique, a.side),
            strikes=tuple(Strike(s.effector, 0, 1, round(s.peak * truth.fps), 0, s.speed) for s in a.strikes),
        )
        for a in truth.actions
    )
    whole = score(Analysis(segments), truth)
    assert whole.boundaries.f1 == whole.kinds.recall == whole.strikes.f1 == 1.0
    assert "jab" in (whole + Score()).confusion_table() or truth.counts().get("jab", 0) == 0
