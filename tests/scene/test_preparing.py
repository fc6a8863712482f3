"""What a scene needs is found wanting before anything long starts."""

from pathlib import Path

import pytest

from randori.errors import FileError
from randori.scene.preparing import preparing_scene
from randori.scene.scene import Scene

PATTERN = """
[group.annotation.attack]
actions = [{ kind = ["attack"] }]
[[group.pattern]]
moves = ["1 attack", "2 defence"]
"""


MOTIONS = '[motions.ring]\nperform = ["boxing"]\n'
DUEL = '[[cast]]\nname = "Red"\nplace = [0, 0, 0]\n[[cast]]\nname = "Blue"\nteam = 1\nplace = [0, 2, 180]\n'
BOXER = '[[cast]]\nname = "Boxer"\ncontroller = "policy"\n'
BAG = '[[targets]]\nname = "bag"\n'
WALL = "[[walls]]\nstart = [-1, 5]\nstop = [1, 5]\n"


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            '[[group]]\nkind = "ring"\npatterns = "rnig"',
            r"group\[1\].patterns: .*'rnig'; .*or give a .toml file",
        ),
        (
            '[[group]]\nkind = "ring"\npatterns = "mine.toml"',
            r"group\[1\].patterns: 'mine.toml' does not exist",
        ),
        ('[[group]]\nkind = "ring"\npatterns = "bad.toml"', r"group\[1\].patterns: bad is not TOML"),
        (f'[[group]]\nkind = "ring"\n{PATTERN}', r"group\[1\].motions is missing: its patterns have none"),
        (
            f'[motions.a]\nperform = ["boxing"]\n[[group]]\nkind = "ring"\n{PATTERN}',
            r"group\[1\].pattern\[1\].moves: there is no annotation 'defence'; There are attack",
        ),
        (
            '[[group]]\nkind = "dominoes"\npicture = "none.png"',
            r"group\[1\].picture: 'none.png' does not exist",
        ),
        ('[[group]]\nkind = "dominoes"\npicture = ["#", "##"]', r"group\[1\].picture: up to 40 rows"),
        ('[[group]]\nkind = "dominoes"\npicture = [".."]', r"group\[1\].picture: nothing of it is dark"),
        ('[[group]]\nkind = "pair"\n' * 2, r"group\[2\].place: a character would stand in group\[1\]"),
        (
            '[[group]]\nkind = "pair"\ncharacters = ["mannequin", "no.glb"]',
            r"group\[1\].characters\[2\]: 'no.glb' does not exist; bodies without a file are heavy and small",
        ),
        (
            f'{MOTIONS}{DUEL}{BOXER}target = "Red"\nteam = 1\nplace = [0.3, 2, 180]',
            r"cast\[3\].place: Boxer would stand in Blue; bodies need 0.5 m",
        ),
        (
            f'{MOTIONS}{WALL}{BAG}{BOXER}target = "bag"\nplace = [0, 5, 0]',
            r"cast\[1\].place: 0, 5 lies in walls\[1\]; bodies keep",
        ),
        (
            f'{MOTIONS}{BAG}{BOXER}target = "bag"\ntable = "no.npz"',
            r"cast\[1\].table: 'no.npz' does not exist; leave it out",
        ),
    ],
)
def test_a_scene_that_cannot_be(tmp_path: Path, text: str, expected: str) -> None:
    (tmp_path / "bad.toml").write_text("title = ", encoding="utf-8")
    work = preparing_scene(Scene.parse(text, folder=tmp_path))
    with pytest.raises(FileError, match=expected):
        next(work)  # before the first bit of work
