"""How long both feet stand still."""

from types import SimpleNamespace

import numpy as np
import pytest

from randori.graph.stillness import seconds_still

FPS = 60
PARTS = ("left_foot", "left_toes", "right_foot", "right_toes", "head")


def library_of(positions: np.ndarray, actions: list[tuple[int, int]], clips: list[tuple[int, int]]):
    """What `seconds_still` needs of a library: positions (F, 5, 3) of PARTS."""
    return SimpleNamespace(
        skeleton=SimpleNamespace(parts=PARTS, joint=PARTS.index),
        positions=positions,
        fps=float(FPS),
        clips=[SimpleNamespace(start=start, stop=stop) for start, stop in clips],
        frames=SimpleNamespace(
            clip=np.repeat(np.arange(len(clips)), [stop - start for start, stop in clips])
        ),
        actions=SimpleNamespace(
            start=np.array([start for start, _ in actions]), stop=np.array([stop for _, stop in actions])
        ),
    )


def standing(frames: int) -> np.ndarray:
    return np.zeros((frames, len(PARTS), 3))


def test_a_body_that_stands_is_still_even_if_its_head_moves():
    positions = standing(90)
    positions[:, PARTS.index("head"), 0] = np.arange(90)
    assert seconds_still(library_of(positions, [(0, 90), (30, 60)], [(0, 90)])).tolist() == [1.5, 0.5]


@pytest.mark.parametrize("part", PARTS[:4])
def test_one_part_of_a_foot_that_moves_is_enough(part):
    # 1 m/s until frame 30; speeds are measured over three frames to either side
    positions = standing(60)
    positions[:, PARTS.index(part), 2] = np.minimum(np.arange(60), 30) / FPS
    still = seconds_still(library_of(positions, [(0, 60), (0, 33), (33, 60)], [(0, 60)]))
    assert still == pytest.approx([27 / FPS, 0.0, 27 / FPS])


@pytest.mark.parametrize(("speed", "seconds"), [(0.04, 1.0), (0.06, 0.0)])
def test_a_foot_that_creeps_is_still(speed, seconds):
    positions = standing(60)
    positions[:, 0, 0] = speed * np.arange(60) / FPS
    assert seconds_still(library_of(positions, [(0, 60)], [(0, 60)])) == pytest.approx([seconds])


def test_a_cut_between_two_clips_is_no_step():
    positions = standing(60)
    positions[30:] = 5.0
    assert seconds_still(library_of(positions, [(0, 60)], [(0, 30), (30, 60)])) == pytest.approx([1.0])
    assert seconds_still(library_of(positions, [(0, 60)], [(0, 60)])) == pytest.approx([54 / FPS])
