"""Bodies that push, give way and are struck, without a change of plan."""

import numpy as np
import pytest
from standing_bodies import FPS, standing_still, walk_of

from randori.body.capsules import CAPSULES, fit
from randori.graph.smoothness import angular_acceleration
from randori.kernels import overlap
from randori.motion import rotations as rot
from randori.motion.clip import Clip
from randori.motion.feet import foot_points
from randori.motion.inverse_kinematics import reach
from randori.motion.placement import Placement
from randori.physics.refine import Refined, refine_together
from randori.timeline.timeline import Event

FRAMES, HIT = 90, 40
USUAL = 600.0  # radians per second²
HEAD, FIST = CAPSULES.index("head"), CAPSULES.index("right_hand")


@pytest.fixture(scope="module")
def standing() -> Clip:
    return standing_still(FRAMES)


def facing(clip: Clip, apart: float) -> Clip:
    """The same one opposite, so far away."""
    return Placement(0.0, apart, np.pi).move(clip)


@pytest.fixture(scope="module")
def attacker(standing: Clip) -> Clip:
    """Somebody whose arms hang."""
    for side, outward in (("left", 0.2), ("right", -0.2)):
        hip = standing.positions[0, standing.skeleton.joint(f"{side}_thigh")]
        standing = reach(standing, f"{side}_arm", hip + np.array([outward, -0.05, -0.1]))
    return standing


@pytest.fixture(scope="module")
def victim(attacker: Clip) -> Clip:
    """The same one opposite, in reach."""
    return facing(attacker, 0.6)


def depths(one: Clip, other: Clip) -> np.ndarray:
    """(F, 16, 16) metres."""
    bodies = [fit(clip.skeleton) for clip in (one, other)]
    placed = [body.place(clip.positions, clip.global_rotations) for body, clip in zip(bodies, (one, other))]
    found = np.empty((len(one), 16, 16))
    overlap.depths(placed[0], bodies[0].radii, placed[1], bodies[1].radii, found)
    return found


def hit(strength: float = 5.0) -> Event:
    return Event(HIT, "hit", 0, 1, "right_hand", "head", strength)


def punch(attacker: Clip, victim: Clip, speed: float) -> Clip:
    """The attacker's fist goes straight through the victim's head, whose surface it meets in the tick HIT."""
    skeleton = attacker.skeleton
    wrist = attacker.positions[0, skeleton.joint("right_hand")]
    head = fit(victim.skeleton).place(victim.positions, victim.global_rotations)[0, HEAD].mean(axis=0)
    way = rot.normalize(head - wrist)
    along = np.maximum(np.arange(FRAMES) - HIT + 12, 0.0) * speed / FPS
    back = np.clip((np.arange(FRAMES) - HIT - 6) / 12.0, 0.0, 1.0)
    path = wrist + way * (along * (1.0 - back))[:, None]
    thrown = reach(attacker, "right_arm", path)
    # the moment of touching is a matter of where the victim stands
    touching = np.flatnonzero(depths(thrown, victim)[:, FIST, HEAD] > 0.0)
    assert len(touching) > 0
    shift = HIT - int(touching[0])
    rows = np.clip(np.arange(FRAMES) - shift, 0, FRAMES - 1)
    return thrown.with_frames(thrown.root_position[rows], thrown.rotations[rows])


def refine(one: Clip, other: Clip, *events: Event) -> list[Refined]:
    limits = [np.full(clip.rotations.shape[:2], USUAL) for clip in (one, other)]
    return refine_together([walk_of(one), walk_of(other)], events, limits)


def test_who_touches_nobody_stays_as_it_was(standing: Clip):
    other = facing(standing, 1.6)
    for before, after in zip((standing, other), refine(standing, other)):
        assert not after.simulated.any()
        assert np.array_equal(before.rotations, after.walk.clip.rotations)
        assert np.array_equal(before.root_position, after.walk.clip.root_position)


def test_bodies_are_pushed_apart_and_feet_stay(standing: Clip):
    apart = next(d for d in np.arange(0.6, 0.2, -0.02) if depths(standing, facing(standing, d)).max() > 0.06)
    other = facing(standing, float(apart))
    one, two = refine(standing, other)
    after = depths(one.walk.clip, two.walk.clip)[30:].max()
    assert after < 0.015
    assert one.simulated.any()
    for before, refined in ((standing, one), (other, two)):
        moved = np.linalg.norm(foot_points(refined.walk.clip) - foot_points(before), axis=-1)
        assert moved.max() < 0.002
        lengths = np.linalg.norm(refined.walk.clip.rotations, axis=-1)
        assert np.allclose(lengths, 1.0, atol=1e-9)


def test_a_moment_is_refined_as_well(standing: Clip):
    short = [
        clip.with_frames(clip.root_position[:9], clip.rotations[:9])
        for clip in (standing, facing(standing, 0.3))
    ]
    assert depths(*short).max() > 0.06
    after = [one.walk.clip for one in refine(*short)]
    assert [len(clip) for clip in after] == [9, 9]
    assert depths(*after).max() < depths(*short).max()


def test_a_fist_stops_at_the_surface_and_the_head_recoils(attacker: Clip, victim: Clip):
    thrown = punch(attacker, victim, 6.0)
    before = depths(thrown, victim)[:, FIST, HEAD]
    assert before.max() > 0.06
    one, two = refine(thrown, victim, hit())
    after = depths(one.walk.clip, two.walk.clip)[:, FIST, HEAD]
    assert 0.0 <= after[HIT] < 0.03  # it touches
    assert after.max() < 0.04  # and does not go through
    head = victim.skeleton.joint("head")
    recoil = two.walk.clip.positions[:, head] - victim.positions[:, head]
    away = np.linalg.norm(recoil, axis=-1)
    peak = HIT + int(away[HIT : HIT + 12].argmax())
    wrist = thrown.skeleton.joint("right_hand")
    pushed = thrown.positions[HIT, wrist] - thrown.positions[HIT - 1, wrist]
    assert away[peak] > 0.02
    assert recoil[peak] @ pushed > 0.0  # where the punch pushed
    assert away[: HIT - 3].max() < 0.001  # nobody knows of a blow before it lands
    assert away[HIT + 36 :].max() < 0.25 * away[peak]  # and the motion takes over again
    assert not two.simulated[: HIT - 4].any()


def test_a_harder_blow_moves_more(attacker: Clip, victim: Clip):
    head = victim.skeleton.joint("head")
    moved = []
    for speed in (3.0, 9.0):
        _, two = refine(punch(attacker, victim, speed), victim, hit())
        moved.append(
            np.linalg.norm(two.walk.clip.positions[:, head] - victim.positions[:, head], axis=-1).max()
        )
    assert moved[1] > 2.5 * moved[0] > 0.1  # who is struck hard is not drawn back at once


def test_who_is_struck_is_not_jolted(attacker: Clip, victim: Clip):
    _, two = refine(punch(attacker, victim, 5.0), victim, hit())
    assert angular_acceleration(two.walk.clip.rotations, FPS).max() < 1.0001 * USUAL


def test_the_same_again(attacker: Clip, victim: Clip):
    thrown = punch(attacker, victim, 6.0)
    first, second = (refine(thrown, victim, hit()) for _ in range(2))
    for a, b in zip(first, second):
        assert a.walk.clip.rotations.tobytes() == b.walk.clip.rotations.tobytes()
        assert a.walk.clip.root_position.tobytes() == b.walk.clip.root_position.tobytes()
