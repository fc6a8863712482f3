"""Work in chunks: the same everywhere, kept, gone on with, and what a dead worker costs."""

import os
import time
from pathlib import Path

import numpy as np
import pytest

from randori import parallel
from randori.errors import RandoriError
from randori.parallel import mapping
from randori.work import finish

CHUNKS = [(k, k + 3) for k in range(8)]


def squares(context: int, chunk: tuple[int, int]) -> dict[str, np.ndarray]:
    """Some work."""
    return {"squares": context + np.arange(*chunk) ** 2}


def counted(folder: str, chunk: tuple[int, int]) -> dict[str, np.ndarray]:
    """Some work that leaves a trace whenever it is done."""
    with open(Path(folder) / "done.txt", "a", encoding="utf-8") as file:
        file.write(f"{chunk[0]}\n")
    return {"first": np.array([chunk[0]])}


def deadly(folder: str, chunk: tuple[int, int]) -> dict[str, np.ndarray]:
    """Some work that kills its worker the first time it comes to chunk 3."""
    marker = Path(folder) / "died"
    if chunk[0] == 3 and not marker.exists():
        time.sleep(0.3)  # so that others are done by then
        marker.touch()
        os._exit(1)
    return counted(folder, chunk)


def _same(one: list[dict[str, np.ndarray]], other: list[dict[str, np.ndarray]]) -> bool:
    return all(
        a.keys() == b.keys() and all(np.array_equal(a[key], b[key]) for key in a) for a, b in zip(one, other)
    )


def test_threads_processes_and_numbers_of_workers_give_the_same_in_the_same_order() -> None:
    one = finish(mapping(squares, 5, CHUNKS, workers=1))
    assert [int(result["squares"][0]) for result in one] == [5 + k * k for k in range(8)]
    assert _same(one, finish(mapping(squares, 5, CHUNKS, workers=4)))
    assert _same(one, finish(mapping(squares, 5, CHUNKS, workers=2, processes=True)))


def test_the_share_rises_to_all() -> None:
    shares = list(mapping(squares, 5, CHUNKS, workers=2))
    assert shares[0] == 0.0
    assert shares[-1] == 1.0
    assert shares == sorted(shares)


def test_what_was_stopped_goes_on_where_it_was(tmp_path: Path) -> None:
    work = mapping(counted, str(tmp_path), CHUNKS, workers=1, folder=tmp_path / "kept")
    for _ in range(4):
        next(work)
    work.close()
    kept = len(list((tmp_path / "kept").iterdir()))
    assert 3 <= kept < len(CHUNKS)
    (tmp_path / "done.txt").unlink()
    results = finish(mapping(counted, str(tmp_path), CHUNKS, workers=1, folder=tmp_path / "kept"))
    assert [int(result["first"][0]) for result in results] == list(range(8))
    again = (tmp_path / "done.txt").read_text().split()
    assert len(again) == len(CHUNKS) - kept


def test_a_damaged_chunk_is_worked_out_anew(tmp_path: Path) -> None:
    finish(mapping(squares, 5, CHUNKS, workers=1, folder=tmp_path))
    victim = sorted(tmp_path.iterdir())[0]
    victim.write_bytes(victim.read_bytes()[:50])
    results = finish(mapping(squares, 5, CHUNKS, workers=1, folder=tmp_path))
    assert _same(results, finish(mapping(squares, 5, CHUNKS, workers=1)))


def test_what_other_work_left_in_the_folder_is_not_taken(tmp_path: Path) -> None:
    finish(mapping(squares, 5, CHUNKS, workers=1, folder=tmp_path))
    results = finish(mapping(squares, 6, CHUNKS, workers=1, folder=tmp_path))
    assert _same(results, finish(mapping(squares, 6, CHUNKS, workers=1)))


def test_a_process_that_dies_costs_its_chunk_only(tmp_path: Path) -> None:
    results = finish(mapping(deadly, str(tmp_path), CHUNKS, workers=2, processes=True))
    assert (tmp_path / "died").exists()
    assert [int(result["first"][0]) for result in results] == list(range(8))
    done = (tmp_path / "done.txt").read_text().split()
    assert len(done) <= len(CHUNKS) + 1  # at most the chunk of the other worker was done twice


def test_no_workers_are_refused() -> None:
    with pytest.raises(RandoriError, match="workers: expected at least 1, found 0"):
        finish(mapping(squares, 5, CHUNKS, workers=0))


def test_a_cluster_gives_the_same_and_survives_a_worker(tmp_path: Path) -> None:
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
    ) as cluster:
        address = cluster.scheduler_address
        assert _same(
            finish(mapping(squares, 5, CHUNKS, cluster=address)), finish(mapping(squares, 5, CHUNKS))
        )
        results = finish(mapping(deadly, str(tmp_path), CHUNKS, cluster=address))
    assert (tmp_path / "died").exists()
    assert [int(result["first"][0]) for result in results] == list(range(8))


def test_a_cluster_that_does_not_answer_is_named(monkeypatch: pytest.MonkeyPatch) -> None:
    pytest.importorskip("distributed")
    monkeypatch.setattr(parallel, "_ANSWERS_WITHIN", 0.3)
    with pytest.raises(RandoriError, match=r"no dask scheduler answers at 'tcp://127\.0\.0\.1:9'"):
        finish(mapping(squares, 5, CHUNKS, cluster="tcp://127.0.0.1:9"))
