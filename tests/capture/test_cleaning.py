"""Spikes are bridged, and nothing else is touched."""

import numpy as np

from randori.capture.analysis import analyse
from randori.capture.cleaning import repaired
from randori.performer import perform


def test_a_spike_is_bridged() -> None:
    clip = perform("boxing", seconds=6.0, seed=1)[0].clip
    root = clip.root_position.copy()
    root[200] += [0.0, 0.6, 0.0]
    broken = clip.with_frames(root, clip.rotations)
    mended = repaired(broken, analyse(broken).problems)
    assert np.abs(mended.root_position - clip.root_position).max() < 0.02
    assert not analyse(mended).problems
    assert "spike" in mended.source.notes[-1]


def test_a_cut_is_no_spike() -> None:
    clip = perform("boxing", seconds=6.0, seed=1)[0].clip
    root = clip.root_position.copy()
    root[200:] += [0.9, 0.0, 0.0]
    broken = clip.with_frames(root, clip.rotations)
    problems = analyse(broken).problems
    assert problems
    assert repaired(broken, problems) is broken
