"""Characters in groups: they plan as mannequins, and their take is dressed with what touches kept."""

from pathlib import Path

import numpy as np
import pytest

from character_samples import box_person, write_character
from randori.errors import FileError
from randori.scene.run import simulate
from randori.scene.scene import Scene

SCENE = """
title = "Porters"
seconds = 6.0

[[group]]
kind = "relay"
pieces = ["bag"]
count = 2
characters = {characters}
{more}
"""


def _scene(folder: Path, characters: str, more: str = "") -> Scene:
    write_character(folder / "person.glb", *box_person())
    (folder / "porters.toml").write_text(SCENE.format(characters=characters, more=more))
    return Scene.load(str(folder / "porters.toml"))


def test_members_of_a_group_have_the_bodies_in_turn(tmp_path: Path) -> None:
    take = simulate(_scene(tmp_path, '["person.glb", "small"]', "heights = [1.85, 1.5]"))
    first, second = take.roles[:2]
    assert first.costume is not None
    assert first.clip.skeleton.height == pytest.approx(1.85, abs=0.01)
    assert second.costume is None
    assert second.clip.skeleton.height == pytest.approx(1.5, abs=0.01)
    quality = take.quality()
    assert quality.penetration_deepest < 0.03
    assert quality.lowest_point > -0.01
    assert "dressed" in take.provenance
    # the bag is in reach of a hand whenever it is off the floor
    (bag,) = take.props
    frames = np.arange(take.ticks + 1)
    lifted = np.flatnonzero(bag.path[:, 1] > bag.path[0, 1] + 0.1)
    assert len(lifted) > 30
    hands = np.stack(
        [
            clip.positions[frames, clip.skeleton.joint(f"{side}_hand")]
            for clip in take.clips
            for side in ("left", "right")
        ]
    )
    away = np.linalg.norm(hands - bag.path[None, :, :3], axis=-1).min(axis=0)
    assert away[lifted].max() < 0.45


def test_a_missing_file_is_named(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"group\[1\].characters\[2\]: 'nobody.glb' does not exist"):
        simulate(_scene(tmp_path, '["heavy", "nobody.glb"]'))


def test_every_character_needs_a_height(tmp_path: Path) -> None:
    with pytest.raises(FileError, match="heights: expected one height for each of the 2 characters, found 1"):
        _scene(tmp_path, '["heavy", "small"]', "heights = [1.8]")
