"""Damage that fuzzing found (fuzz.py), each mended with a sentence."""

import re
from pathlib import Path

import numpy as np
import pytest
from scene_samples import _TICKS, GltfBuilder, fbx_text

from character_samples import box_person, write_character
from randori.bench.formats import made_up_clip
from randori.characters.bringing import bring_onto
from randori.characters.character import load_character
from randori.errors import FileError, RandoriError
from randori.formats import glb, load
from randori.scene.export import save
from randori.studio import messages as wire
from randori.studio.scenes import edited


def test_a_key_far_away_is_refused_and_not_sampled(tmp_path: Path) -> None:
    pytest.importorskip("ufbx", reason="FBX is read with the package ufbx")
    clip, path = made_up_clip(3), tmp_path / "walk.fbx"
    last, far = str(round(clip.times[-1] * _TICKS)), str(1667 * _TICKS)
    path.write_text(re.sub(rf"(KeyTime: [^}}]*){last} ", rf"\g<1>{far} ", fbx_text(clip), count=1))
    with pytest.raises(FileError, match="no key for 1667 s"):
        load(path)


def test_a_time_sample_far_away_is_refused_and_not_sampled(tmp_path: Path) -> None:
    pytest.importorskip("pxr", reason="USD is an extra: pip install 'randori[usd]'")
    path = tmp_path / "walk.usda"
    save([made_up_clip(3)], path)
    path.write_text(
        re.sub(r"(rotations\.timeSamples = \{[^}]*?)\b2:", r"\g<1>90000:", path.read_text(), count=1)
    )
    with pytest.raises(FileError, match=r"no key for \d{3,} s"):
        load(path)


@pytest.mark.parametrize("fps", [119.88, 120.125, 30.02])
def test_keys_at_an_odd_rate_stay_frames(tmp_path: Path, fps: float) -> None:
    clip, path = made_up_clip(900, fps), tmp_path / "walk.glb"
    builder = GltfBuilder(clip)
    builder.animate("walk", clip)
    path.write_bytes(builder.glb())
    found = load(path)
    assert len(found) == len(clip)
    own = [found.skeleton.names.index(name) for name in clip.skeleton.names]
    np.testing.assert_allclose(found.positions[:, own], clip.positions, atol=0.001)


def test_a_foot_that_hangs_elsewhere_is_no_foot(tmp_path: Path) -> None:
    from randori.formats import bvh

    path = tmp_path / "walk.bvh"
    bvh.write(path, made_up_clip(3))
    with pytest.raises(FileError, match="does not hang below"):
        load(path, parts={"left_foot": "RightFoot"})


def test_changes_that_make_no_toml_are_refused() -> None:
    edit = wire.Edit.model_validate({"do": "insert", "at": ["new", -1], "value": {"place": [1.0, 2.0]}})
    move = wire.Edit.model_validate({"do": "set", "at": ["cast", 0, "depth"], "value": 4})
    with pytest.raises(RandoriError, match="do not fit"):
        edited('[[cast]]\nname = "A"\n', [move, edit])


def test_a_reference_into_nothing_is_refused(tmp_path: Path) -> None:
    document, binary = box_person()
    for key, value in (("scene", 7), ("scenes", [{"nodes": [99]}]), ("textures", [{"source": 3}])):
        path = write_character(tmp_path / "body.glb", {**document, key: value}, binary)
        with pytest.raises(FileError, match="expected a number from 0"):
            load_character(path)


def test_a_limb_without_length_is_refused(tmp_path: Path) -> None:
    document, binary = box_person()
    for node in document["nodes"]:
        if node["name"] == "LeftForeArm":
            node["translation"] = [0.0, 0.0, 0.0]
    with pytest.raises(FileError, match="has no length"):
        load_character(write_character(tmp_path / "body.glb", document, binary))


@pytest.mark.parametrize("scene", [None, 7])
def test_a_model_without_scenes_is_written(tmp_path: Path, scene: int | None) -> None:
    """Where there are no scenes, the one that a damaged document names is not looked for."""
    document, binary = box_person()
    changed = {key: value for key, value in document.items() if key != "scenes"} | {"scene": scene}
    character = load_character(write_character(tmp_path / "body.glb", changed, binary))
    moved = bring_onto(made_up_clip(3), character.skeleton)
    glb.write(tmp_path / "out.glb", [character.to_export("A")], {"walk": [moved]})
    assert (tmp_path / "out.glb").stat().st_size > len(binary)
