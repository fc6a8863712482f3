"""Work in chunks: on threads, on processes, or on a dask cluster; the result is the same everywhere.

A chunk is a few numbers; what all chunks need (the context) is handed out once. Chunks do not know of each
other and their results are put together in their order, so the number of workers changes nothing. With a
folder, every finished chunk is kept there at once: the same work, stopped and begun again, goes on where it
was. A worker that dies costs its chunk only.
"""

import hashlib
import pickle
from collections.abc import Callable, Generator, Iterator, Sequence
from concurrent.futures import FIRST_COMPLETED, Future, ProcessPoolExecutor, ThreadPoolExecutor, wait
from concurrent.futures.process import BrokenProcessPool
from multiprocessing import get_context
from os import cpu_count
from pathlib import Path
from typing import Any

import numpy as np

from randori.errors import RandoriError
from randori.formats.arrays import save_arrays
from randori.formats.files import write_whole

Arrays = dict[str, np.ndarray]
Work = Callable[[Any, Any], Arrays]  # of the context and a chunk; a function of a module, not a closure
_ANSWERS_WITHIN = 10.0  # seconds that a scheduler has
_MOST_DEATHS = 3  # of workers over one chunk: then it is the chunk's fault

_context: Any = None  # of this process, if it is a worker


def mapping(
    work: Work,
    context: Any,
    chunks: Sequence[Any],
    workers: int | None = None,
    processes: bool = False,
    cluster: str | None = None,
    folder: Path | None = None,
) -> Generator[float, None, list[Arrays]]:
    """The results of `work` for every chunk, in their order; yields the share that is done.

    `cluster` is the address of a dask scheduler: "tcp://10.0.0.1:8786". `folder` keeps finished chunks.
    """
    if workers is not None and workers < 1:
        raise RandoriError(f"workers: expected at least 1, found {workers}")
    results: dict[int, Arrays] = {}
    files = _files(folder, work, context, chunks) if folder is not None else []
    for number, file in enumerate(files):
        kept = _read(file)
        if kept is not None:
            results[number] = kept
    waiting = [number for number in range(len(chunks)) if number not in results]
    count = workers or cpu_count() or 1
    if cluster is not None:
        finished = _on_cluster(work, context, chunks, waiting, cluster)
    elif processes:
        finished = _in_processes(work, context, chunks, waiting, count)
    else:
        finished = _in_threads(work, context, chunks, waiting, count)
    yield len(results) / max(len(chunks), 1)
    try:
        for number, arrays in finished:
            if files:
                _keep(files[number], arrays)
            results[number] = arrays
            yield len(results) / len(chunks)
    finally:
        finished.close()
    return [results[number] for number in range(len(chunks))]


# -- where it runs -----------------------------------------------------------------------------------

Finished = Generator[tuple[int, Arrays], None, None]


def _in_threads(work: Work, context: Any, chunks: Sequence[Any], waiting: list[int], count: int) -> Finished:
    pool = ThreadPoolExecutor(count)
    try:
        futures = {pool.submit(work, context, chunks[number]): number for number in waiting}
        yield from _as_finished(futures)
    finally:
        pool.shutdown(wait=True, cancel_futures=True)


def _in_processes(
    work: Work, context: Any, chunks: Sequence[Any], waiting: list[int], count: int
) -> Finished:
    """A dead process takes its pool with it: the chunks that are not finished go to a new one."""
    deaths = 0
    left = list(waiting)
    while left:
        pool = ProcessPoolExecutor(count, get_context("spawn"), _remember, (pickle.dumps(context),))
        try:
            # no more than the workers have at hand, so that a death costs little
            futures: dict[Future[Arrays], int] = {}
            queue: Iterator[int] = iter(list(left))
            for number in queue:
                futures[pool.submit(_work_here, work, chunks[number])] = number
                if len(futures) >= count:
                    break
            while futures:
                done, _ = wait(futures, return_when=FIRST_COMPLETED)
                for future in sorted(done, key=lambda one: futures[one]):
                    number = futures.pop(future)
                    arrays = future.result()
                    left.remove(number)
                    yield number, arrays
                    following = next(queue, None)
                    if following is not None:
                        futures[pool.submit(_work_here, work, chunks[following])] = following
        except BrokenProcessPool as error:
            deaths += 1
            if deaths > _MOST_DEATHS:
                raise RandoriError(
                    f"workers died {deaths} times; chunk {left[0]} may be the cause"
                ) from error
        finally:
            pool.shutdown(wait=True, cancel_futures=True)


def _on_cluster(
    work: Work, context: Any, chunks: Sequence[Any], waiting: list[int], address: str
) -> Finished:
    try:
        from distributed import Client, as_completed
    except ImportError as error:
        raise RandoriError("a cluster needs dask: pip install 'randori[cluster]'") from error
    try:
        client = Client(address, timeout=_ANSWERS_WITHIN, set_as_default=False)
    except (OSError, TimeoutError, ValueError) as error:
        raise RandoriError(f"cluster: no dask scheduler answers at {address!r}: {error}") from error
    try:
        # a task, not scattered data: if the worker that has it dies it is unpacked again elsewhere
        handed = client.submit(pickle.loads, pickle.dumps(context), pure=False, retries=_MOST_DEATHS)
        futures = {
            client.submit(work, handed, chunks[number], pure=False, retries=_MOST_DEATHS): number
            for number in waiting
        }
        for future in as_completed(list(futures), loop=client.loop):
            yield futures[future], future.result()
    finally:
        client.close()


def _as_finished(futures: dict[Future[Arrays], int]) -> Finished:
    left = set(futures)
    while left:
        done, left = wait(left, return_when=FIRST_COMPLETED)
        for future in sorted(done, key=lambda one: futures[one]):
            yield futures[future], future.result()


def _remember(context: bytes) -> None:
    global _context
    _context = pickle.loads(context)


def _work_here(work: Work, chunk: Any) -> Arrays:
    return work(_context, chunk)


# -- what is kept ------------------------------------------------------------------------------------


def _files(folder: Path, work: Work, context: Any, chunks: Sequence[Any]) -> list[Path]:
    """The file of each chunk, named after the work, all its inputs, and the chunk."""
    folder.mkdir(parents=True, exist_ok=True)
    given = hashlib.sha256(pickle.dumps(context)).hexdigest()
    names = [f"{work.__module__}.{work.__qualname__} {given} {chunk!r}" for chunk in chunks]
    return [folder / f"{hashlib.sha256(name.encode()).hexdigest()[:24]}.npz" for name in names]


def _keep(path: Path, arrays: Arrays) -> None:
    with write_whole(path) as file:
        save_arrays(file, arrays)


def _read(path: Path) -> Arrays | None:
    """A chunk that was kept; one that is damaged is worked out again."""
    if not path.is_file():
        return None
    try:
        with np.load(path, allow_pickle=False) as stored:
            return {name: stored[name] for name in stored.files}
    except Exception:  # any error that the bytes make numpy raise
        return None
