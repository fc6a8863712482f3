"""The file of a library of patches: the same when read, refused when it is not what it should be."""

from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest

from randori.errors import FileError
from randori.formats.arrays import save_arrays
from randori.graph.action_graph import ActionGraph
from randori.kernels.patch_tables import BLOW, MOVE, NO_THREAT, STEP, STRIKES
from randori.patches.build import _events
from randori.patches.library import PatchLibrary, concatenate, is_patches, read_patches, write_patches


def test_what_was_written_is_read(
    tmp_path: Path, small_patches: PatchLibrary, small_graph: ActionGraph
) -> None:
    path = tmp_path / "small.patches.npz"
    write_patches(path, small_patches)
    assert is_patches(path)
    again = read_patches(path, small_graph.library)
    for one, other in zip((*small_patches.arrays, *small_patches.joins), (*again.arrays, *again.joins)):
        assert one.tobytes() == other.tobytes()
    assert again.scene == small_patches.scene
    assert again.patch(3) == small_patches.patch(3)


def test_other_motions_are_refused(
    tmp_path: Path, small_patches: PatchLibrary, small_graph: ActionGraph
) -> None:
    path = tmp_path / "small.patches.npz"
    write_patches(path, replace(small_patches, motions="0" * 32))
    with pytest.raises(FileError, match="built on other motions"):
        read_patches(path, small_graph.library)


@pytest.mark.parametrize(
    ("field", "value", "said"),
    [
        ("place", np.nan, "place without NaN"),
        ("pattern", 77, "patterns of its scene"),
        ("step_start", 0, "step_start from 0"),
    ],
)
def test_nonsense_is_refused_with_what_was_expected(
    tmp_path: Path,
    small_patches: PatchLibrary,
    monkeypatch: pytest.MonkeyPatch,
    field: str,
    value: float,
    said: str,
) -> None:
    array = getattr(small_patches.arrays, field).copy()
    array[-1] = value
    path = tmp_path / "spoiled.npz"
    spoiled = replace(small_patches, arrays=small_patches.arrays._replace(**{field: array}))
    with pytest.raises(FileError, match=f"not written: expected {said}"):
        write_patches(path, spoiled)
    assert not path.exists()
    monkeypatch.setattr(
        "randori.patches.library.write_arrays", lambda path, arrays, _: _written(path, arrays)
    )
    write_patches(path, spoiled)
    with pytest.raises(FileError, match=said):
        read_patches(path)


def _written(path: Path, arrays: dict[str, np.ndarray]) -> None:
    """Arrays in a file, without a look at them."""
    with path.open("wb") as file:
        save_arrays(file, arrays)


def test_a_threat_in_which_nothing_strikes_is_no_miss() -> None:
    """The kernels say 1e9 metres of it; a library with that number could not be read again."""
    moves = np.zeros(2, MOVE)
    moves["role"], moves["threat"] = [0, 1], [STRIKES, NO_THREAT]
    steps = np.zeros(2, STEP)
    blows = np.zeros(2, BLOW)
    for strength, events in ((0.2, 1), (1e9, 0)):
        blows["strength"] = strength
        assert len(_events(moves, steps, blows)) == events


def test_a_cut_file_is_refused(tmp_path: Path, small_patches: PatchLibrary) -> None:
    path = tmp_path / "cut.npz"
    write_patches(path, small_patches)
    path.write_bytes(path.read_bytes()[:5000])
    with pytest.raises(FileError, match=r"cut\.npz"):
        read_patches(path)


def test_records_put_together_are_the_patches_of_both(small_patches: PatchLibrary) -> None:
    arrays = small_patches.arrays
    twice = replace(small_patches, arrays=concatenate([arrays, arrays]))
    count = len(small_patches)
    assert len(twice) == 2 * count
    assert twice.patch(count + 4) == small_patches.patch(4)
