"""Heads turn to opponents: as far as a neck allows, smoothly, and only where they look elsewhere."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
import pytest

from bout_samples import TICKS, action_of, face_to_face, row, standing
from randori.graph.action_graph import ActionGraph
from randori.graph.joining import Walk
from randori.graph.library import ActionLibrary
from randori.motion import rotations as rot
from randori.motion.clip import Clip
from randori.motion.inverse_kinematics import turned_below
from randori.timeline.bake import bake_timeline
from randori.timeline.looking import NECK_LIMITS, SLACK, look_at_opponents
from randori.timeline.quality import measure
from randori.timeline.timeline import CHOSEN, Event, Fighting, Placed, Timeline, Track
from randori.work import finish

ROLES = (Fighting((1,), 0.8), Fighting((0,), 0.8))


@pytest.fixture(scope="module")
def library(sparring_graph: ActionGraph) -> ActionLibrary:
    return sparring_graph.library


def bout(
    library: ActionLibrary,
    rows: Sequence[tuple[Placed, ...]],
    roles: Sequence[Fighting] = ROLES,
    events: Sequence[Event] = (),
) -> Timeline:
    tracks = tuple(
        Track(f"{k}", library, placed, k, role) for k, (placed, role) in enumerate(zip(rows, roles))
    )
    return Timeline(60.0, TICKS, tracks, tuple(events))


def beside(clip: Clip, other: Clip) -> np.ndarray:
    """(F,) radians between where a head looks and another head."""
    way = rot.normalize(
        other.positions[:, other.skeleton.joint("head")] - clip.positions[:, clip.skeleton.joint("head")]
    )
    return np.arccos(np.clip((rot.rotate(clip.turned("head"), rot.Z_AXIS) * way).sum(axis=-1), -1.0, 1.0))


def against_chest(clip: Clip) -> np.ndarray:
    """(F, 2) radians: the gaze sideways and up, as the chest sees it."""
    x, y, z = rot.rotate(rot.inverse(turned_below(clip)), rot.rotate(clip.turned("head"), rot.Z_AXIS)).T
    return np.column_stack([np.arctan2(x, z), np.arctan2(y, np.hypot(x, z))])


def turned_by(before: Clip, after: Clip) -> np.ndarray:
    """(F, 3) rotation vectors by which a head is turned."""
    joint = before.skeleton.joint("head")
    turn = rot.multiply(after.global_rotations[:, joint], rot.inverse(before.global_rotations[:, joint]))
    return rot.to_rotation_vector(turn)


def is_same(one: Walk, other: Walk) -> bool:
    return one.clip.rotations.tobytes() == other.clip.rotations.tobytes()


@pytest.mark.parametrize("degrees", [40.0, -40.0, 90.0, -90.0, 110.0])
def test_a_head_that_the_body_turns_away_looks_back(library: ActionLibrary, degrees: float):
    walks = face_to_face(library, degrees)
    looking = look_at_opponents(bout(library, [row(library)] * 2), walks)
    assert beside(walks[1].clip, walks[0].clip).min() > np.radians(30.0)
    off, gaze = beside(looking[1].clip, looking[0].clip), against_chest(looking[1].clip)
    at_limit = np.abs(gaze[:, 0]) > NECK_LIMITS[0] - 0.01
    assert ((off < SLACK + 0.01) | at_limit).all()
    assert (np.abs(gaze) < np.array(NECK_LIMITS) + 0.01).all()
    assert np.array_equal(looking[1].clip.root_position, walks[1].clip.root_position)
    assert np.array_equal(looking[1].frame, walks[1].frame)


def test_only_the_neck_and_the_head_turn(library: ActionLibrary):
    walks = face_to_face(library, 90.0)
    looking = look_at_opponents(bout(library, [row(library)] * 2), walks)
    skeleton = walks[1].clip.skeleton
    changed = np.flatnonzero((looking[1].clip.rotations != walks[1].clip.rotations).any(axis=(0, 2)))
    assert changed.tolist() == [skeleton.joint("neck"), skeleton.joint("head")]


@pytest.mark.parametrize("degrees", [0.0, 7.0])
def test_a_head_that_looks_at_its_opponent_stays_as_it_is(library: ActionLibrary, degrees: float):
    walks = face_to_face(library, degrees)
    assert beside(walks[1].clip, walks[0].clip).max() < SLACK
    looking = look_at_opponents(bout(library, [row(library)] * 2), walks)
    assert is_same(looking[1], walks[1])


def test_heads_turn_no_faster_than_heads_do(library: ActionLibrary):
    # the opponent is now on one side, now on the other
    one, here = standing(library, 0.0, 0.0, 0.0), standing(library, 2.0, 1.5, 0.0)
    there = standing(library, -2.0, 1.5, 0.0)
    other = np.where(
        np.arange(TICKS + 1)[:, None] // 60 % 2, here.clip.root_position, there.clip.root_position
    )
    jumping = replace(here, clip=here.clip.with_frames(other, here.clip.rotations))
    looking = look_at_opponents(bout(library, [row(library)] * 2), [one, jumping])
    turn = turned_by(one.clip, looking[0].clip)
    speed = np.linalg.norm(np.diff(turn, axis=0), axis=-1) * 60.0
    acceleration = np.linalg.norm(np.diff(turn, 2, axis=0), axis=-1) * 60.0**2
    assert np.radians(150.0) < speed.max() < np.radians(400.0)
    assert acceleration.max() < 100.0  # rad/s²; a boxer's own head reaches 200
    assert np.ptp(turn[:, 1]) > np.radians(70.0)


def test_a_fighter_that_lies_is_left_alone(library: ActionLibrary):
    stand, lie = action_of(library, "transition", "stand"), action_of(library, "transition", "step back")
    tags = list(library.tags)
    tags[lie] = replace(tags[lie], technique="lie")
    lying = replace(library, tags=tuple(tags))
    rows = [row(lying), row(lying, (lie, 200, CHOSEN), (stand, 400, CHOSEN))]
    walks = face_to_face(lying, 90.0)
    looking = look_at_opponents(bout(lying, rows), walks)
    same = (looking[1].clip.rotations == walks[1].clip.rotations).all(axis=(1, 2))
    assert same[230:371].all()  # but for what is left of a turn that ends
    assert not same[:190].any()
    assert not same[410:].any()
    # an opponent that stays down is looked at no more
    rows = [row(lying), row(lying, (lie, 200, CHOSEN))]
    around = [standing(lying, 0.0, 0.0, np.pi / 2.0), walks[1]]
    looking = look_at_opponents(bout(lying, rows), around)
    same = (looking[0].clip.rotations == around[0].clip.rotations).all(axis=(1, 2))
    assert same[230:].all()
    assert not same[:190].any()


def test_a_body_that_is_not_upright_is_left_alone(library: ActionLibrary):
    walks = face_to_face(library, 90.0)
    clip = walks[1].clip
    rotations = clip.rotations.copy()
    rotations[:, 0] = rot.multiply(rot.from_axis_angle(rot.X_AXIS, np.pi / 2.0), rotations[:, 0])
    lying = replace(walks[1], clip=clip.with_frames(clip.root_position, rotations))
    looking = look_at_opponents(bout(library, [row(library)] * 2), [walks[0], lying])
    assert is_same(looking[1], lying)


def test_a_struck_fighter_looks_at_its_attacker(library: ActionLibrary):
    walks = [
        standing(library, 0.0, 0.0, 0.0),
        standing(library, -1.0, 1.0, np.pi),  # the nearest one
        standing(library, 1.5, 1.5, np.pi),
    ]
    roles = [Fighting((1, 2), 0.8), Fighting((0,), 0.8), Fighting((0,), 0.8)]
    hit = Event(300, "hit", 2, 0, "left_hand", "head", 3.0, (0.0, 1.5, 0.0))
    looking = look_at_opponents(bout(library, [row(library)] * 3, roles, [hit]), walks)
    near, attacker = (beside(looking[0].clip, walks[k].clip) for k in (1, 2))
    assert near[200] < SLACK + 0.01 < attacker[200]
    assert attacker[330] < SLACK + 0.01 < near[330]
    assert near[450] < SLACK + 0.01 < attacker[450]


def test_nobody_looks_before_it_joins_or_when_the_scene_does_not_want_it(library: ActionLibrary):
    walks = face_to_face(library, 90.0)
    late = replace(ROLES[1], joins=300)
    looking = look_at_opponents(bout(library, [row(library)] * 2, (ROLES[0], late)), walks)
    same = (looking[1].clip.rotations == walks[1].clip.rotations).all(axis=(1, 2))
    assert same[:260].all()
    assert not same[330:].any()
    blind = [replace(role, looks=False) for role in ROLES]
    looking = look_at_opponents(bout(library, [row(library)] * 2, blind), walks)
    assert all(map(is_same, looking, walks))


def test_joins_stay_as_smooth_as_the_source(sparring: Timeline, baked: list[Walk]):
    tracks = tuple(replace(track, fighting=role) for track, role in zip(sparring.tracks, ROLES))
    fighting = replace(sparring, tracks=tracks)
    looking = finish(bake_timeline(fighting))
    assert not any(map(is_same, looking, baked))
    quality = measure(fighting, looking)
    blind = measure(fighting, baked)
    assert quality.smooth_joins == 1.0
    assert quality.looks_away < 0.5 * blind.looks_away
    again = finish(bake_timeline(fighting))
    assert all(map(is_same, looking, again))
