"""The heavy and the small body: fights on them, each with its own height and girth, also with swords."""

from pathlib import Path

import numpy as np
import pytest

from randori.body.capsules import CAPSULES, fit
from randori.body.own_bodies import OWN_BODIES, own_body
from randori.errors import FileError
from randori.performer.proportions import BODIES
from randori.scene.run import simulate
from randori.scene.scene import Scene

SCENE = """
title = "Heavy against small"
seconds = 2.0

[motions.ring]
perform = ["{set}"]
seconds = 40.0
choices = 12

[[cast]]
name = "Heavy"
depth = 1
character = "heavy"
{more}

[[cast]]
name = "Small"
depth = 1
team = 1
character = "small"
"""


def _scene(folder: Path, perform: str, more: str = "") -> Scene:
    (folder / "fight.toml").write_text(SCENE.format(set=perform, more=more))
    return Scene.load(str(folder / "fight.toml"))


def test_bodies_differ_in_height_and_flesh() -> None:
    heavy, small = (own_body(name) for name in ("heavy", "small"))
    assert set(OWN_BODIES) == {"heavy", "small"}
    assert heavy.height > 1.25 * small.height
    torso, usual = CAPSULES.index("upper_torso"), BODIES["average"].skeleton
    assert fit(heavy).radii[torso] > 1.25 * fit(usual).radii[torso] > 1.25 * fit(small).radii[torso]
    assert own_body("heavy", 2.2).height == pytest.approx(2.2, abs=1e-6)
    assert "weapon" in own_body("small", armed=True).parts


@pytest.mark.parametrize("perform", ["boxing", "sword"])
def test_a_fight_on_both(tmp_path: Path, perform: str) -> None:
    take = simulate(_scene(tmp_path, perform))
    heavy, small = (clip.skeleton for clip in take.clips)
    assert heavy.girth > 1.2 > small.girth
    heads = [np.median(clip.positions[:, clip.skeleton.joint("head"), 1]) for clip in take.clips]
    assert heads[0] > 1.2 * heads[1]
    quality = take.quality()
    assert quality.penetration_deepest < 0.03
    assert quality.lowest_point > -0.01
    assert quality.unnoticed > 0.9


def test_there_is_nothing_to_hide_on_our_own_bodies(tmp_path: Path) -> None:
    with pytest.raises(FileError, match=r"cast\[1\].character: 'heavy' has no meshes"):
        simulate(_scene(tmp_path, "boxing", 'hidden = ["*Shield*"]'))
