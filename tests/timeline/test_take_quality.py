"""The quality report measures what it says, on situations whose answer is known."""

from dataclasses import replace

import numpy as np
import pytest

from randori.graph.joining import Walk
from randori.kernels import overlap
from randori.motion.placement import Placement
from randori.timeline.quality import measure
from randori.timeline.timeline import Event, Timeline


def moved(walk: Walk, x: float, z: float) -> Walk:
    return replace(walk, clip=Placement(x, z).move(walk.clip))


def test_a_report_in_numbers_and_words(sparring: Timeline, baked: list[Walk]):
    quality = measure(sparring, baked)
    assert quality.seconds == pytest.approx(20.0)
    assert quality.attacks > 5
    assert quality.planted_phases > 20
    assert quality.joins == sum(len(walk.joins) for walk in baked)
    assert quality.hits == 2
    assert quality.as_dict()["hits"] == 2
    assert "feet:" in str(quality)
    # these two fight nobody: what they are said to hit is far away
    assert quality.strike_error_worst > 0.3
    assert any("strikes:" in sentence for sentence in quality.misses())


def test_bodies_in_each_other_are_noticed(sparring: Timeline, baked: list[Walk]):
    alone = measure(sparring, [baked[0], moved(baked[1], 30.0, 0.0)])
    assert alone.penetration_deepest == 0.0
    assert alone.penetration_frames == 0
    twice = measure(replace(sparring, tracks=(sparring.tracks[0],) * 2), [baked[0], baked[0]])
    assert twice.penetration_deepest > 0.1
    assert twice.penetration_frames == sparring.ticks + 1
    assert twice.distance == 0.0


def test_capsules_touch_where_they_touch():
    a = np.array([[[[0.0, 0.0, 0.0], [1.0, 0.0, 0.0]]]])
    b = np.array([[[[0.5, 0.3, -1.0], [0.5, 0.3, 1.0]], [[5.0, 0.0, 0.0], [5.0, 0.0, 0.0]]]])
    depth = np.empty((1, 1, 2))
    overlap.depths(a, np.array([0.1]), b, np.array([0.25, -1.0]), depth)
    assert depth[0, 0, 0] == pytest.approx(0.05)
    assert depth[0, 0, 1] == -np.inf


def test_repetition_counts_choices_among_the_last_four(sparring: Timeline, baked: list[Walk]):
    placed = sparring.tracks[0].placed
    same = tuple(replace(one, action=placed[0].action) for one in placed)
    repeating = replace(sparring, tracks=(replace(sparring.tracks[0], placed=same), sparring.tracks[1]))
    assert measure(repeating, baked).repetition > 0.4 > measure(sparring, baked).repetition


def test_hits_are_counted_by_the_attack_they_belong_to(sparring: Timeline, baked: list[Walk]):
    tags = sparring.tracks[0].library.tags
    attack = next(one for one in sparring.tracks[0].placed if tags[one.action].kind == "attack")
    event = Event(attack.start + 3, "hit", 0, 1, "left_hand", "head", 4.0, (0.0, 1.5, 0.0))
    twice = replace(sparring, events=(event, replace(event, tick=attack.start + 4)))
    quality = measure(twice, baked)
    assert quality.hits == 2
    assert quality.landed == pytest.approx(1.0 / quality.attacks)
    assert quality.damage == (8.0, 0.0)


def test_who_lies_turns_no_back(sparring: Timeline, baked: list[Walk]):
    clip, frames = baked[0].clip, len(baked[0].clip)
    still = clip.with_frames(
        *(np.repeat(rows[:1], frames, axis=0) for rows in (clip.root_position, clip.rotations))
    )
    x, z, way = *still.root_position[0, [0, 2]], float(still.heading()[0])
    one = Placement(-x, -z).move(still)
    away = Placement(0.0, 0.0, np.pi).move(one)
    other = Placement(3.0 * np.sin(way), 3.0 * np.cos(way)).move(away)
    first = np.arange(frames)[:, None] < frames // 2
    low = np.where(first, 1.0, [1.0, 0.2, 1.0])
    turned = np.where(first[..., None], one.rotations, away.rotations)

    def share(root: np.ndarray) -> float:
        walks = [replace(baked[0], clip=one.with_frames(root, turned)), replace(baked[1], clip=other)]
        return measure(sparring, walks).turned_away

    assert share(one.root_position) == pytest.approx(0.25, abs=0.01)
    assert share(one.root_position * low) == 0.0
