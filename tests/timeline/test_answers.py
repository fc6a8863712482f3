"""An answer to a blow is entered where it fits what the blow does to the body."""

from dataclasses import replace

import numpy as np
import pytest

from randori.graph.joining import Piece, Walk
from randori.graph.library import ActionLibrary
from randori.motion.placement import Placement
from randori.timeline.bake import Push, _head_start, bake_track
from randori.timeline.impulse import speed_of_blow
from randori.timeline.timeline import FORCED, Timeline

NOTHING = Push("head", np.zeros(3))


@pytest.fixture(scope="module")
def library(sparring: Timeline) -> ActionLibrary:
    return sparring.tracks[0].library


def calm_stretch(library: ActionLibrary, striking: np.ndarray, length: int) -> int:
    """The first of some frames in a row in which the body moves and nothing strikes."""
    free = np.convolve(striking, np.ones(length), mode="valid") == 0
    moved = np.linalg.norm(library.placements[length:, :2] - library.placements[:-length, :2], axis=-1)
    return int(np.argmax(np.where(free[: len(moved)], moved, 0.0)))


def test_the_frame_that_fits_is_found(library: ActionLibrary, striking: np.ndarray):
    here = Placement(0.0, 0.0, 0.0)
    first = calm_stretch(library, striking, 60)
    before = Piece(first - 20, first + 7, here)
    answer = Piece(first, first + 40, here)
    # who leaves in frame first + 7 goes on in it
    assert _head_start(library, before, answer, None, striking, NOTHING) == 7


def test_answers_are_entered_where_they_go_with_the_push(library: ActionLibrary, striking: np.ndarray):
    here, way = Placement(0.0, 0.0, 0.0), np.array([0.0, 0.0, 1.0])
    chest = library.positions[:, library.skeleton.joint("chest")]
    gained = []
    for first in range(100, len(striking) - 100, 45):
        if striking[first : first + 60].any():
            continue
        before, answer = Piece(first - 20, first + 6, here), Piece(first, first + 40, here)
        entered = [
            first
            + _head_start(library, before, answer, None, striking, Push("upper_torso", sign * 3.0 * way))
            for sign in (1.0, -1.0)
        ]
        along, against = ((chest[frame + 2] - chest[frame - 2]) @ way for frame in entered)
        gained.append(along - against)
    assert min(gained) > -0.01
    assert np.mean(gained) > 0.001


def test_no_answer_is_entered_late_where_it_would_strike(library: ActionLibrary, striking: np.ndarray):
    here = Placement(0.0, 0.0, 0.0)
    strike = int(np.flatnonzero(striking)[0])
    answer = Piece(strike - 10, strike + 20, here)
    assert _head_start(library, Piece(strike - 40, strike - 3, here), answer, None, striking, NOTHING) == 0


def test_the_end_comes_when_it_was_planned(sparring: Timeline, baked: list[Walk]):
    for character, track in enumerate(sparring.tracks):
        assert any(one.cause == FORCED for one in track.placed)
        walk = bake_track(sparring, character)
        assert len(walk.clip) == sparring.ticks + 1
        assert walk.clip.rotations.tobytes() == baked[character].clip.rotations.tobytes()
        quiet = bake_track(replace(sparring, events=()), character)
        assert len(quiet.clip) == sparring.ticks + 1


def test_blows_push_where_they_go_and_harder_ones_more():
    way = np.array([0.6, 0.0, 0.8])
    speeds = [speed_of_blow("right_hand", "head", fast * way) for fast in (2.0, 4.0, 8.0)]
    sizes = [float(np.linalg.norm(speed)) for speed in speeds]
    assert sizes == sorted(sizes)
    assert sizes[2] > 1.5 * sizes[0]
    for speed, size in zip(speeds, sizes):
        assert np.allclose(speed / size, way)
    # a head is lighter than a trunk, a foot heavier than a hand
    assert np.linalg.norm(speed_of_blow("right_hand", "upper_torso", 8.0 * way)) < sizes[2]
    assert np.linalg.norm(speed_of_blow("right_foot", "head", 8.0 * way)) > sizes[2]
