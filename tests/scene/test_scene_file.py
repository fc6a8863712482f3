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
CAR = '[[cars]]\nstart = [0, 0]\nruns_over = "Red"'
MARK = "[[path]]\nplace = [0, 0]"
LINE = '[formation]\nshape = "line"\npairs = 2'


def test_the_shipped_scenes_load():
    expected = {
        "boxing", "infighters", "outboxers", "smart-against-simple", "energetic-against-tired", "sword-duel",
        "chase", "smart-chaser", "two-chase-one", "brawl", "one-fights-many", "two-fight", "football",
        "mouse", "dominoes", "luggage", "target", "sparring", "thirty", "person", "kick", "punch", "course",
    }  # fmt: skip
    assert expected <= set(shipped_scenes())
    for name in shipped_scenes():
        scene = randori.Scene.load(name)
        assert scene.name == name
        assert scene.title
        assert scene.description
        assert scene.cast or scene.group


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
        ("team = 1", "team = 0", r"cast: both teams need a fighter"),
        ("team = 1", 'team = 1\n[[path]]\nplace = [0, 0]\nwho = ["Bleu"]', r"path\[1\].who: .*'Blue'\?"),
        ("team = 1", "team = 1\n[[path]]\nplase = [0, 0]", r"path\[1\].plase: unknown key; .*'place'\?"),
        ("team = 1", 'team = 1\n[[combination]]\ndefence = "duc"', r"combination\[1\].defence: .* 'duck'\?"),
        ('title = "Test"', "seconds = true", r"seconds: true does not fit here"),
        ('name = "Blue"', 'name = "Blue"\ndepth = true', r"cast\[2\].depth: true does not fit here"),
        ('name = "Blue"', 'name = "Blue"\nplace = [1e300, 0, 0]', r"cast\[2\].place\[1\]: .*to 10000, found"),
        ('name = "Blue"', 'name = "Blue"\nplace = [0, 0, 1e300]', r"cast\[2\].place\[3\]: .*to 3600, found"),
        ('name = "Blue"', 'name = "Blue"\njoins = 31', r"cast\[2\].joins: 31 s is after the end: .* 30"),
        ("team = 1", 'team = 1\nwanted = ["jab"]\nunwanted = ["jab"]', r"cast\[2\].unwanted: 'jab' is among"),
        ("team = 1", f"team = 1\n{CAR}\nstop = [0, 0]\ntime = 1", r"cars\[1\].stop: the road has to lead"),
        ("team = 1", f"team = 1\n{CAR}\nstop = [0, 9]\ntime = 40", r"cars\[1\].time: 40 s is after the end"),
        ("team = 1", f'team = 1\n{LINE}\ntime = [1, 40]\nrequired.Red = ["fall"]', r"time\[2\]: 40 s is"),
        ("team = 1", f"team = 1\n{LINE}\ntime = [1, 1e300]", r"formation.time\[2\]: .*to 3600, found"),
        ("team = 1", f"team = 1\n{LINE}\ntime = [2, 1]", r"formation.time: two moments"),
        ("team = 1", f"team = 1\n{LINE}0000\ntime = [1, 2]", r"formation.pairs: .*to 1000, found 20000"),
        ("team = 1", f'team = 1\n{MARK}\nrequired = {{ Red = "jab" }}', r"Red: a list is needed"),
        ("team = 1", f'team = 1\n{MARK}\nrequired = ["jab"]', r"path\[1\].required: a table is"),
        ("team = 1", "team = 1\n[rules]\nfacing = 500", r"rules.facing: .*less than or equal to 180"),
    ],
)  # fmt: skip
def test_mistakes(old: str, new: str, expected: str):
    assert old in SCENE
    with pytest.raises(FileError, match=expected):
        Scene.parse(SCENE.replace(old, new))


def test_one_mistake_is_answered_with_one_line():
    with pytest.raises(FileError) as caught:
        Scene.parse(SCENE.replace('name = "Blue"', 'name = "Blue"\ndepth = 0'), "mine.toml")
    assert (
        str(caught.value) == "mine.toml: cast[2].depth: input should be greater than or equal to 1, found 0"
    )


def test_a_cast_of_one_is_too_few():
    with pytest.raises(FileError, match="cast: both teams need a fighter"):
        Scene.parse(SCENE[: SCENE.rindex("[[cast]]")])


MOTIONS = '[motions.ring]\nperform = ["boxing"]\n'
BOXER = f'{MOTIONS}[[cast]]\nname = "A"\ncontroller = "policy"\n'
WALKER = f'{MOTIONS}[[cast]]\nname = "A"\ncontroller = "prepare"\n'


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('title = "Nobody"', r"cast is empty: at least one \[\[cast\]\] or one \[\[group\]\]"),
        ('[[cast]]\nname = "A"', r"motions is missing: the cast needs"),
        (f'{MOTIONS}[[cast]]\nname = "A"\ncontroller = "polisy"', r"cast\[1\].controller: .*found 'polisy'"),
        (f'{BOXER}style = "boxer"', r"cast\[1\].style: .*'policy' has no such key; its own are target"),
        (f"{BOXER}weights.taken = 1", r"cast\[1\].weights.taken: .* has no such weight; There are approach"),
        (f'{BOXER}behaviours = ["dance"]', r"cast\[1\].behaviours\[1\]: there is no behaviour 'dance'"),
        (BOXER, r"cast\[1\].target: there is nothing to go for; add a \[\[targets\]\]"),
        (f'{BOXER}target = "bga"\n[[targets]]\nname = "bag"', r"cast\[1\].target: .*did you mean 'bag'\?"),
        (f'{BOXER}[[targets]]\nname = "A"', r"targets\[1\].name: there are two things named 'A'"),
        (WALKER, r"cast\[1\].goal is missing: give 'balls'"),
        (f'{WALKER}goal = "balls"', r"cast\[1\].goal: there are no \[\[balls\]\]"),
        (f'{WALKER}goal = "opponents"', r"cast\[1\].goal: there are no opponents"),
        (f'{WALKER}goal = "obstacles"\n[[obstacles]]\npassed_by = ["fly"]', r"passed_by\[1\]: .*found 'fly'"),
        (f'{WALKER}goal = "balls"\n[[balls]]\nplace = [0, 1]\ncount = 2', r"balls\[1\].count: a place"),
        ('[[group]]\nkind = "rnig"', r"group\[1\].kind: .*found 'rnig'"),
        ('[[group]]\nkind = "ring"\npicture = ["#"]', r"group\[1\].picture: .*'ring' has no such key"),
        ('[[group]]\nkind = "ring"\nmotions = "a"', r"group\[1\].motions: there are no motions 'a'"),
        ('[[group]]\nkind = "relay"\npieces = ["bga"]', r"group\[1\].pieces\[1\]: .*did you mean 'bag'\?"),
        ('[[group]]\nkind = "dominoes"\ncount = 9', r"group\[1\].count: as many fall as fill"),
        ('[[group]]\nkind = "ring"\ncount = 0', r"group\[1\].count: .*or equal to 1, found 0"),
        (
            '[[group]]\nkind = "ring"\n[[group.pattern]]\nmoves = []',
            r"group\[1\].annotation: .*belong together",
        ),
        (f'{SCENE}[[group]]\nkind = "ring"\nleader = "Red"', r"group\[1\].leader: .*two controllers cannot"),
        (
            f"{SCENE}[[pins]]\nwho = 'Red'\nat = 1.0\naction = 'jab'\n[[group]]\nkind = 'ring'",
            r"pins: only a scene whose",
        ),
        (f'{SCENE}[formation]\nshape = "hall"\npairs = 2', r"formation.shape: 'hall' is for pairs"),
        (f'{SCENE}[formation]\nshape = "line"\npairs = 2', r"formation: time is missing|formation.time is"),
        (
            f'{SCENE}[[inputs]]\ntime = 40\nwhat = "go"\nplace = [0, 0]',
            r"inputs\[1\].time: 40 s is after the end",
        ),
        (f'{SCENE}[[inputs]]\ntime = 1\nwhat = "jump"', r"inputs\[1\].what: .*found 'jump'"),
        (f'{SCENE}[[inputs]]\ntime = 1\nwhat = "go"', r"inputs\[1\].place is missing: what = 'go' needs it"),
        (
            f'{SCENE}[[inputs]]\ntime = 1\nwhat = "face"\ndegrees = 9\nplace = [0, 0]',
            r"inputs\[1\].place: what = 'face' has no such value; its own are who, degrees",
        ),
        (
            f'{SCENE}[[inputs]]\ntime = 1\nwhat = "do"\naction = "jab"\nwho = "Rad"',
            r"inputs\[1\].who: no character is named 'Rad'; did you mean 'Red'\?",
        ),
        (f'{SCENE}[camera]\non = "Bleu"', r"camera.on: no character is named 'Bleu'; did you mean 'Blue'\?"),
    ],
)
def test_mistakes_of_every_controller(text: str, expected: str):
    with pytest.raises(FileError, match=expected):
        Scene.parse(text)


def test_the_beginning_of_a_scene_can_be_looked_at():
    """A car that comes later is no contradiction then."""
    scene = Scene.parse(SCENE + f"{CAR}\nstop = [0, 9]\ntime = 20\n")
    assert scene.changed(seconds=5.0).seconds == 5.0


def test_unknown_scenes_and_files(tmp_path: Path):
    with pytest.raises(FileError, match="did you mean 'boxing'"):
        Scene.load("boxin")
    with pytest.raises(FileError, match="does not exist"):
        Scene.load(tmp_path / "none.toml")
