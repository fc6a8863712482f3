"""Scene files: what is shipped loads, and mistakes are answered with the key and what would be right."""

from pathlib import Path

import pytest

import randori
from randori.duel.fighter import REACTION
from randori.errors import FileError
from randori.scene.scene import Scene, shipped_scenes

SCENE = """
title = "Test"
[motions.ring]
perform = ["boxing"]
[[cast]]
name = "Red"
team = 0
[[cast]]
name = "Blue"
team = 1
"""


def test_the_shipped_scenes_load():
    expected = {
        "boxing", "infighters", "outboxers", "smart-against-simple", "energetic-against-tired", "sword-duel",
        "chase", "smart-chaser", "two-chase-one", "brawl",
    }  # fmt: skip
    assert expected <= set(shipped_scenes())
    for name in shipped_scenes():
        scene = randori.Scene.load(name)
        assert scene.name == name
        assert scene.title
        assert scene.description
        assert len(scene.cast) >= 2


def test_what_is_left_out_is_usual():
    scene = Scene.parse(SCENE)
    assert (scene.seconds, scene.seed, scene.cast[0].depth, scene.cast[0].reaction) == (30.0, 1, 3, REACTION)
    assert scene.motions_of(scene.cast[1]) == "ring"


def test_a_file_of_ones_own(tmp_path: Path):
    path = tmp_path / "mine.toml"
    path.write_text(SCENE)
    scene = Scene.load(path)
    assert (scene.name, scene.folder) == ("mine", tmp_path)
    assert scene.changed(seed=9).seed == 9
    with pytest.raises(FileError, match="seconds"):
        scene.changed(seconds=-1.0)


@pytest.mark.parametrize(
    ("old", "new", "expected"),
    [
        ('title = "Test"', 'titel = "Test"', r"scene: titel: unknown key; did you mean 'title'\?"),
        ('title = "Test"', "title = ", r"is not TOML: .*line 2"),
        ('title = "Test"', "seconds = nan", r"seconds: .*found nan"),
        ('title = "Test"', "seconds = -3", r"seconds: .*greater than or equal to 0.5, found -3"),
        ('title = "Test"', 'selection = "dice"', r"selection: .*'best' or 'roulette', found 'dice'"),
        ('title = "Test"', 'name = "x"', r"name: unknown key"),
        ('["boxing"]', '["boxng"]', r"ring.perform\[1\]: there is no set 'boxng'; .*'boxing'"),
        ('["boxing"]', '["boxing"]\nlibrary = "a.npz"', r"motions.ring: exactly one .* perform and library"),
        ('perform = ["boxing"]', "choices = 5", r"motions.ring: exactly one of .* found none"),
        ('["boxing"]', '["boxing"]\nbody = "giant"', r"motions.ring.body: there is no body 'giant'"),
        ('["boxing"]', '["boxing"]\nchoises = 5', r"motions.ring.choises: unknown key; .*'choices'"),
        ('name = "Blue"', 'name = "Red"', r"cast\[2\].name: there are two characters named 'Red'"),
        ('name = "Blue"', "", r"cast\[2\].name is missing"),
        ('name = "Blue"', 'name = "Blue"\nstyle = "boxr"', r"cast\[2\].style: .*did you mean 'boxer'\?"),
        ('name = "Blue"', 'name = "Blue"\ndepth = 0', r"cast\[2\].depth: .*or equal to 1, found 0"),
        ('name = "Blue"', 'name = "Blue"\noutfit = "pnik"', r"cast\[2\].outfit: .*did you mean 'pink'\?"),
        ('name = "Blue"', 'name = "Blue"\nmotions = "rink"', r"cast\[2\].motions: .*did you mean 'ring'\?"),
        ('name = "Blue"', 'name = "Blue"\nplace = [1.0, 2.0]', r"cast\[2\].place\[3\] is missing"),
        ('name = "Blue"', 'name = "Blue"\nweights.distnce = 1', r"weights.*distnce: .*mean 'distance'\?"),
        ('name = "Blue"', 'name = "Blue"\nweights.taken = 1e30', r"cast\[2\].weights.taken: .*found 1e\+30"),
        ('name = "Blue"', 'name = "Blue"\nweights.taken = -5', r"weights.taken: .*to 0, found -5"),
        ('name = "Blue"', 'name = "Blue"\nweights.distance = 500', r"weights.distance is a distance of 0"),
        ('name = "Blue"', 'name = "Blue"\nweights.taken = nan', r"cast\[2\].weights.taken"),
        ("team = 1", "team = 0", r"cast: somebody of team 0 and somebody of team 1"),
        ("team = 1", 'team = 1\n[[path]]\nplace = [0, 0]\nwho = ["Bleu"]', r"path\[1\].who: .*'Blue'\?"),
        ("team = 1", "team = 1\n[[path]]\nplase = [0, 0]", r"path\[1\].plase: unknown key; .*'place'\?"),
        ("team = 1", 'team = 1\n[[combination]]\ndefence = "duc"', r"combination\[1\].defence: .* 'duck'\?"),
        ("team = 1", "team = 1\n[rules]\nfacing = 500", r"rules.facing: .*less than or equal to 180"),
    ],
)  # fmt: skip
def test_mistakes(old: str, new: str, expected: str):
    assert old in SCENE
    with pytest.raises(FileError, match=expected):
        Scene.parse(SCENE.replace(old, new))


def test_unknown_scenes_and_files(tmp_path: Path):
    with pytest.raises(FileError, match="did you mean 'boxing'"):
        Scene.load("boxin")
    with pytest.raises(FileError, match="does not exist"):
        Scene.load(tmp_path / "none.toml")
