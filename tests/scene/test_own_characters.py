"""Characters of one's own in a scene: they plan with their own bodies, and the take wears them."""

from pathlib import Path

import numpy as np
import pytest

from character_samples import box_person, write_character
from randori.body.capsules import fit
from randori.errors import FileError
from randori.scene.bodies import graph_name
from randori.scene.run import simulate
from randori.scene.scene import Scene

SCENE = """
title = "Small against tall"
seconds = 2.0

[motions.ring]
perform = ["boxing"]
seconds = 40.0
choices = 12

[[cast]]
name = "Small"
depth = 1
character = "small.glb"
height = 1.4

[[cast]]
name = "Tall"
depth = 1
team = 1
"""


@pytest.fixture
def scene(tmp_path: Path) -> Scene:
    write_character(tmp_path / "small.glb", *box_person())
    (tmp_path / "fight.toml").write_text(SCENE)
    return Scene.load(str(tmp_path / "fight.toml"))


def test_everybody_plans_with_their_own_body(scene: Scene) -> None:
    take = simulate(scene)
    small, tall = take.roles
    assert small.costume is not None
    assert tall.costume is None
    body = take.bodies[0]
    assert body is not None
    assert small.clip.skeleton.height == pytest.approx(1.4)
    assert fit(small.clip.skeleton).radii == pytest.approx(fit(body.skeleton).radii)
    heads = [np.median(role.clip.positions[:, role.clip.skeleton.joint("head"), 1]) for role in take.roles]
    assert heads[0] < 0.85 * heads[1]
    again = simulate(scene)
    assert np.array_equal(again.clips[0].rotations, small.clip.rotations)


def test_one_graph_per_body(scene: Scene) -> None:
    small, tall = scene.cast
    assert graph_name(scene, tall) == "ring"
    assert graph_name(scene, small) != "ring"


def test_a_file_that_is_no_character_is_named(scene: Scene, tmp_path: Path) -> None:
    (tmp_path / "small.glb").write_bytes(b"nothing of the kind")
    with pytest.raises(FileError, match=r"cast\[1\].character"):
        simulate(scene)
    (tmp_path / "small.glb").unlink()
    with pytest.raises(FileError, match="does not exist"):
        simulate(scene)
