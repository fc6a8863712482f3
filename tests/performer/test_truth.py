"""The truth says what can be seen: who moves no more stands or lies."""

from itertools import pairwise

import numpy as np
import pytest

from randori.performer import perform
from randori.performer.channels import INDEX
from randori.performer.tracks import Tracks
from randori.performer.truth import LIES_STILL


def test_a_movement_is_quiet_when_less_is_left_than_sway_hides() -> None:
    tracks = Tracks()
    tracks.add("chest_yaw", 1.0, 0.0, 0.5)
    tracks.add("pelvis_forward", 0.2, 1.0, 2.0, 0.4)
    tracks.add("pelvis_side", 0.005, 2.0, 4.0)  # too little to be seen
    quiet = tracks.quiet(0)
    left = 0.2 - (tracks.evaluate(481, 120.0)[:, INDEX["pelvis_forward"]])
    frame = round(quiet * 120.0)
    assert 1.0 < quiet < 2.0
    assert left[frame - 2] > 0.01 > left[frame + 2]
    assert tracks.quiet(2) == 0.0


@pytest.mark.parametrize("set_name", ["boxing", "crowd", "football"])
def test_nobody_stands_twice_in_a_row(set_name: str) -> None:
    actions = perform(set_name, seconds=40.0, seed=12)[0].truth.actions
    for before, after in pairwise(actions):
        assert before.stop == after.start
        assert not before.technique == after.technique == "stand"


def test_who_lies_has_come_to_rest_and_who_falls_has_not() -> None:
    recording = perform("crowd", seconds=90.0, seed=12)[0]
    clip = recording.clip
    speed = np.linalg.norm(np.diff(clip.positions, axis=0), axis=-1).max(axis=-1) * clip.fps
    pairs = [(a, b) for a, b in pairwise(recording.truth.actions) if b.technique == "lie"]
    assert pairs
    for fall, lie in pairs:
        assert speed[lie.start : lie.start + 3].max() < LIES_STILL
        assert speed[max(lie.start - 6, fall.start) : lie.start].max() > 0.5 * LIES_STILL
