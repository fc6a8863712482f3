"""Tables in files, what they refuse, and what cannot be learned."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from small_grids import SMALL as COARSE

from randori.capture.analysis import analyse
from randori.cli import main
from randori.errors import FileError, RandoriError
from randori.graph.action_graph import graph_with_choices
from randori.graph.library import ActionLibrary, StrikeArrays, build_library
from randori.graph.library_file import write as write_library
from randori.performer import perform
from randori.policy.table import PolicyTable, read, training, write
from randori.policy.training import Progress, solving
from randori.scene.preparing import Ready
from randori.scene.scene import Scene, as_recorded
from randori.scene.session import SceneSession
from randori.scene.take import Take
from randori.work import finish


def test_a_table_comes_back(table: PolicyTable, ring: ActionLibrary, tmp_path: Path) -> None:
    write(tmp_path / "table.npz", table)
    again = read(tmp_path / "table.npz", ring)
    assert again.values.tobytes() == table.values.tobytes()
    assert again.units == table.units
    assert again.names == table.names
    assert again.settings == table.settings
    assert again.version == table.version
    assert all(np.array_equal(one, other) for one, other in zip(again.hot, table.hot))


def test_another_library_is_refused(table: PolicyTable, tmp_path: Path) -> None:
    write(tmp_path / "table.npz", table)
    other = build_library([(take.clip, analyse(take.clip)) for take in perform("boxing", 20.0, seed=4)])
    with pytest.raises(FileError, match="trained on another library"):
        read(tmp_path / "table.npz", other)


def test_an_edited_strike_makes_another_library(
    table: PolicyTable, ring: ActionLibrary, tmp_path: Path
) -> None:
    write(tmp_path / "table.npz", table)
    edited = replace(ring, strikes=ring.strikes._replace(speed=ring.strikes.speed + 1.0))
    with pytest.raises(FileError, match="another library"):
        read(tmp_path / "table.npz", edited)


@pytest.mark.parametrize("kept", [0, 10, 3000])
def test_a_damaged_file_is_an_error(
    table: PolicyTable, ring: ActionLibrary, tmp_path: Path, kept: int
) -> None:
    path = tmp_path / "table.npz"
    write(path, table)
    path.write_bytes(path.read_bytes()[:kept])
    with pytest.raises(FileError, match=r"table\.npz"):
        read(path, ring)


def test_a_library_without_strikes_teaches_no_punch(ring: ActionLibrary) -> None:
    peaceful = replace(ring, strikes=StrikeArrays._make(array[:0] for array in ring.strikes))
    peaceful = replace(
        peaceful, actions=ring.actions._replace(strike_start=np.zeros_like(ring.actions.strike_start))
    )
    for name in ("approach", "punch"):
        with pytest.raises(RandoriError, match="punch cannot be learned: the library has no strike"):
            finish(training(peaceful, (name,)))


def test_an_unknown_behaviour_is_an_error(ring: ActionLibrary) -> None:
    with pytest.raises(RandoriError, match="fly cannot be learned; behaviours are approach, punch"):
        finish(training(ring, ("fly",)))


def test_training_tells_its_residual(ring: ActionLibrary) -> None:
    told = []
    work = training(ring, ("approach",), COARSE, threads=1)
    try:
        while True:
            told.append(next(work))
    except StopIteration:
        pass
    assert all(isinstance(share, Progress) and ": residual" in share.words for share in told)
    # what the approach leads to is learned first
    assert [share.words.split(":")[0] for share in (told[0], told[-1])] == ["punch", "approach"]
    assert told[-1] == pytest.approx(1.0)


def test_the_order_of_behaviours_does_not_matter(ring: ActionLibrary) -> None:
    """Alone, before or after the punch: the approach knows what the punch is worth."""
    alone, before, after = (
        finish(training(ring, names, COARSE, threads=2))
        for names in (("approach",), ("approach", "punch"), ("punch", "approach"))
    )
    columns = alone.values.shape[1]
    assert alone.values.tobytes() == before.values[:, :columns].tobytes()
    assert alone.values.tobytes() == after.values[:, -columns:].tobytes()


def test_values_are_kept_to_less_than_a_tick(ring: ActionLibrary) -> None:
    table = finish(training(ring, ("punch",), COARSE, threads=2))
    exact = finish(solving(table.model, table.behaviours[0], COARSE)).values
    tick = 1.0 - COARSE.discount
    worthwhile = exact > 0.01  # others are seconds away
    kept = table.values * table.units[0]
    assert np.abs(kept / exact - 1.0)[worthwhile].max() < 0.1 * tick


SCENE = """
seconds = 3.0
[motions.ring]
library = "moves.npz"
[[cast]]
name = "boxer"
controller = "policy"
target = "bag"
table = "table.npz"
[[targets]]
name = "bag"
dragged = true
"""
INPUTS = """{"kind": "randori inputs", "schema": 1, "scene": "bag", "seed": 3, "ticks": 120, "inputs": [
    {"tick": 30, "what": "go", "who": "bag", "place": [0.5, 1.4, 1.0]}
]}
"""


def test_train_and_run_from_the_command_line(
    ring: ActionLibrary, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """A table is trained, a scene uses it, and recorded inputs play it again to the same bytes."""
    monkeypatch.chdir(tmp_path)
    write_library("moves.npz", ring)
    Path("bag.toml").write_text(SCENE, encoding="utf-8")
    Path("inputs.json").write_text(INPUTS, encoding="utf-8")
    _randori(monkeypatch, "train policy moves.npz --behaviours approach,punch,evade --out table.npz")
    for out in ("one", "two"):
        _randori(monkeypatch, f"run bag.toml --inputs inputs.json --out {out} --format npz")
    assert Path("one/bag.npz").read_bytes() == Path("two/bag.npz").read_bytes()
    take = Take.load("one/bag.npz")
    assert take.ticks == 120
    assert np.linalg.norm(take.props[0].path[-1, :3] - [0.5, 1.4, 1.0]) < 0.5  # where the hand has put it
    write_library(
        "moves.npz", build_library([(one.clip, analyse(one.clip)) for one in perform("boxing", 15.0)])
    )
    _randori(monkeypatch, "run bag.toml", code=2)


AGAINST_A_FIGHTER = """
[motions.ring]
library = "moves.npz"
[[cast]]
name = "Red"
[[cast]]
name = "Boxer"
controller = "policy"
target = "Red"
team = 1
[[cast]]
name = "Other"
controller = "policy"
target = "bag"
place = [4.0, 0.0, 0.0]
[[targets]]
name = "bag"
"""


def test_a_policy_that_fights_a_fighter_starts_face_to_face_and_can_change_its_target(
    ring: ActionLibrary, table: PolicyTable
) -> None:
    scene = Scene.parse(AGAINST_A_FIGHTER)
    graph = graph_with_choices(ring, 12.0)
    session = SceneSession(scene, Ready({"ring": graph, as_recorded("ring"): graph}, {"ring": table}))
    red, boxer = (one.spots(np.zeros(1, dtype=np.int64))[0, 0] for one in session.parts)
    assert 1.5 < np.linalg.norm(boxer - red) < 2.5
    aims = []
    for target in ("bag", "Red"):  # a fighter is a target of its guest, although it is no avatar
        session.send("set", who="Boxer", key="target", value=target)
        aims.append(int(session.parts[1].arena.world.avatars["aim"][0]))
    assert aims[0] < 0 < aims[1]
    with pytest.raises(RandoriError, match="there is no 'Blue'; There are bag, Other, Red"):
        session.send("set", who="Boxer", key="target", value="Blue")
    session.send("go", who=["Boxer", "Other"], place=[2.0, 2.0])
    assert (session.parts[1].arena.world.avatars["aim"][:2] == [-2, -3]).all()  # each to a place of its own


def test_a_policy_goes_round_a_character_that_stands_before_its_fighter(
    ring: ActionLibrary, table: PolicyTable
) -> None:
    graph = graph_with_choices(ring, 12.0)
    ready = Ready({"ring": graph, as_recorded("ring"): graph}, {"ring": table})
    session = SceneSession(Scene.parse(AGAINST_A_FIGHTER), ready)
    red, boxer = session.parts
    boxer.advance(1)
    here = boxer.spots(np.zeros(1, dtype=np.int64))[0, 0]
    there = red.spots(np.zeros(1, dtype=np.int64))[0, 0]
    before = boxer.arena.world.weights[0].copy()
    assert before[table.names.index("punch")] > 0.0
    between = (here + there) / 2.0
    boxer.arena.world.avatars["left"][0] = 0  # it is about to choose
    boxer.mind(np.stack([there, between])[:, None], np.zeros(1, dtype=np.int64))
    boxer._place_others()
    assert boxer.arena.world.avatars["aim"][0] == -2  # a place of its own …
    place = boxer.arena.world.props.place[1][[0, 2]]
    way, gone = (there - here) / np.linalg.norm(there - here), place - here
    passed = here + gone * (gone @ (between - here)) / (gone @ gone)  # nearest to that character on the way
    assert np.linalg.norm(passed - between) > 0.5  # … past that character, …
    assert gone @ way > 0.0
    assert boxer.arena.world.weights[0, table.names.index("punch")] == 0.0  # … which it does not strike at
    boxer.mind(np.stack([there])[:, None], np.zeros(1, dtype=np.int64))
    boxer._place_others()
    assert boxer.arena.world.avatars["aim"][0] > 0
    assert (boxer.arena.world.weights[0] == before).all()


def _randori(monkeypatch: pytest.MonkeyPatch, line: str, code: int = 0) -> None:
    monkeypatch.setattr("sys.argv", ["randori", *line.split()])
    with pytest.raises(SystemExit) as end:
        main()
    assert (end.value.code or 0) == code
