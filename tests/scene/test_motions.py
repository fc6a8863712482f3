"""Where a scene's motion comes from, and that the performer's libraries are kept whole or not at all."""

from pathlib import Path

import numpy as np
import pytest

from randori.errors import FileError, RandoriError
from randori.graph import performed as room
from randori.graph import turned
from randori.graph.action_graph import ActionGraph, build_action_graph
from randori.graph.library_file import write
from randori.graph.motions import Motions, find_files
from randori.graph.performed import performed
from randori.scene.motions import preparing
from randori.work import finish

SHORT = Motions(perform=("boxing",), seconds=15.0, choices=8.0)


@pytest.fixture
def cache(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("RANDORI_CACHE", str(tmp_path / "cache"))
    return tmp_path / "cache" / "libraries"


def test_a_library_is_made_once(cache: Path, monkeypatch: pytest.MonkeyPatch):
    first = finish(performed(SHORT.performance))
    (kept,) = cache.iterdir()
    assert kept.name.startswith("boxing-average-1-15s-")
    monkeypatch.setattr(room, "performing", None)  # nobody performs again
    second = finish(performed(SHORT.performance))
    assert np.array_equal(first.frames.rotations, second.frames.rotations)
    assert first.tags == second.tags


def test_turned_copies_are_made_once(cache: Path, monkeypatch: pytest.MonkeyPatch):
    first = finish(turned.performed_with_turns(SHORT.performance))
    (kept,) = cache.glob("boxing-average-1-15s-turned-*.npz")
    assert len(first) > len(finish(performed(SHORT.performance)))
    with monkeypatch.context() as patch:
        patch.setattr(turned, "with_turns", None)  # nobody turns them again
        second = finish(turned.performed_with_turns(SHORT.performance))
    assert np.array_equal(first.frames.rotations, second.frames.rotations)
    assert (first.tags, first.clips) == (second.tags, second.clips)
    kept.write_bytes(b"damaged")
    assert finish(turned.performed_with_turns(SHORT.performance)).clips == first.clips


def test_motions_are_joined_again_only_if_their_file_has_changed(cache: Path, tmp_path: Path):
    write(tmp_path / "moves.npz", finish(performed(SHORT.performance)))
    moves = Motions(library="moves.npz", choices=8.0)
    first, again = (finish(preparing(moves, tmp_path)) for _ in range(2))
    assert again is first
    assert finish(preparing(moves.model_copy(update={"choices": 4.0}), tmp_path)) is not first
    write(tmp_path / "moves.npz", finish(performed(SHORT.model_copy(update={"seconds": 10.0}).performance)))
    assert finish(preparing(moves, tmp_path)).library.seconds < first.library.seconds


def test_what_another_version_made_goes(cache: Path):
    cache.mkdir(parents=True)
    old, other = (
        cache / "boxing-average-1-15s-0123456789abcdef.npz",
        cache / "sword-average-1-15s-0123456789abcdef.npz",
    )
    for path in (old, other):
        path.write_bytes(b"old")
    finish(performed(SHORT.performance))
    assert not old.exists()
    assert other.exists()


def test_a_damaged_library_is_made_anew(cache: Path):
    finish(performed(SHORT.performance))
    (kept,) = cache.iterdir()
    whole = kept.read_bytes()
    kept.write_bytes(whole[:5000])
    finish(performed(SHORT.performance))
    assert kept.read_bytes() == whole


def test_who_stops_half_way_leaves_nothing(cache: Path):
    work = performed(SHORT.performance)
    next(work)
    work.close()
    assert not cache.exists() or not list(cache.iterdir())


def test_a_graph_has_about_the_choices_that_were_asked_for(cache: Path, tmp_path: Path):
    library = finish(performed(SHORT.performance))
    write(tmp_path / "moves.npz", library)
    few, many = (
        finish(preparing(Motions(library="moves.npz", choices=choices), tmp_path)) for choices in (3.0, 10.0)
    )
    assert few.threshold < many.threshold
    assert mean_choices(few) >= 3.0
    assert mean_choices(many) >= 10.0
    # and no finer graph would do
    finer = build_action_graph(library, few.threshold / 1.12)
    assert mean_choices(finer) < 3.0 or finer.kept_seconds < 0.9 * library.seconds


def mean_choices(graph: ActionGraph) -> float:
    return float(np.diff(graph.indptr)[graph.end_posture[graph.indices]].mean())


def test_a_folder_may_have_any_name(tmp_path: Path):
    folder = tmp_path / "my captures [1] (new)*"
    folder.mkdir()
    (folder / "a b.bvh").touch()
    assert find_files(("*.bvh",), folder) == [str(folder / "a b.bvh")]


def test_files_that_are_not_there(tmp_path: Path):
    with pytest.raises(RandoriError, match=r"no recordings at '\*\.bvh', seen from"):
        finish(preparing(Motions(files=("*.bvh",)), tmp_path))
    with pytest.raises(FileError, match="does not exist"):
        finish(preparing(Motions(library="none.npz"), tmp_path))
