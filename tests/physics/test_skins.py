"""Skins that are in each other are found on their points, and taken apart."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from character_samples import box_person, write_character
from randori.characters.character import Character, load_character
from randori.graph.joining import Walk
from randori.motion import rotations as rot
from randori.motion.clip import Clip
from randori.motion.skeleton import Skeleton
from randori.performer.proportions import BODIES
from randori.scene.on_skins import Skins, fit_to_skins, measure_on_skins
from randori.timeline.timeline import Event

FRAMES = 60


@pytest.fixture
def body(tmp_path: Path) -> Character:
    return load_character(write_character(tmp_path / "person.glb", *box_person()))


def _standing(skeleton: Skeleton, z: float, yaw: float, x: float = 0.0) -> Walk:
    """A walk that stands still in the T, arms hanging down."""
    places, turned = skeleton.reference_pose
    turned = turned.copy()
    for side, sign in (("left", -1.0), ("right", 1.0)):
        down = rot.from_axis_angle(rot.Z_AXIS, sign * 1.4)
        for part in ("upper_arm", "forearm", "hand"):
            joint = skeleton.joint(f"{side}_{part}")
            turned[joint] = rot.multiply(down, turned[joint])
    local = skeleton.to_local(turned)
    local[0] = rot.multiply(rot.from_yaw(yaw), local[0])
    root = np.tile(rot.rotate(rot.from_yaw(yaw), places[0]) + np.array([x, 0.0, z]), (FRAMES, 1))
    clip = Clip("standing", skeleton, 60.0, root, np.tile(local, (FRAMES, 1, 1)))
    return Walk(
        clip,
        np.arange(FRAMES),
        np.full(FRAMES, -1),
        np.zeros(0, dtype=np.int64),
        np.ones((FRAMES, 2), dtype=bool),
    )


def test_skins_are_taken_apart_and_feet_stay() -> None:
    skeleton = BODIES["average"].skeleton
    walks = [_standing(skeleton, 0.0, 0.0), _standing(skeleton, 0.0, 0.0, 0.45)]
    clips = [walk.clip for walk in walks]
    skins = Skins.of(clips, [None, None])
    before = measure_on_skins(clips, skins, []).penetration
    fitted = fit_to_skins(walks, skins, [])
    after = measure_on_skins([walk.clip for walk in fitted], skins, []).penetration
    assert before > 0.03
    assert after < 0.02
    for walk, one in zip(walks, fitted):
        for side in ("left", "right"):
            foot = skeleton.joint(f"{side}_foot")
            assert np.abs(one.clip.positions[:, foot] - walk.clip.positions[:, foot]).max() < 0.005
    apart = [clips[0], _standing(skeleton, 0.6, np.pi).clip]
    assert measure_on_skins(apart, skins, []).penetration == 0.0


def test_a_blow_is_brought_to_the_skin(body: Character) -> None:
    walks = [_standing(body.skeleton, 0.0, 0.0), _standing(body.skeleton, 0.55, np.pi)]
    skins = Skins.of([walk.clip for walk in walks], [body, body])
    blow = Event(30, "hit", 0, 1, "right_hand", "upper_torso")
    before = measure_on_skins([walk.clip for walk in walks], skins, [blow])
    after = measure_on_skins([walk.clip for walk in fit_to_skins(walks, skins, [blow])], skins, [blow])
    assert abs(before.gaps[0]) > 0.1
    assert abs(after.gaps[0]) < 0.02


def test_the_floor_is_measured_on_vertices(body: Character) -> None:
    walk = _standing(body.skeleton, 0.0, 0.0)
    lower = walk.clip.root_position - 0.03 * rot.Y_AXIS
    sunk = replace(walk, clip=walk.clip.with_frames(lower, walk.clip.rotations))
    skins = Skins.of([sunk.clip], [body])
    assert measure_on_skins([sunk.clip], skins, []).lowest == pytest.approx(-0.03, abs=0.003)
    assert measure_on_skins([fit_to_skins([sunk], skins, [])[0].clip], skins, []).lowest > -0.01
