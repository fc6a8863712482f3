"""The same patches from a dask cluster as from threads, even if one of its workers is killed half way."""

import os
import signal

import pytest

from randori.graph.action_graph import ActionGraph
from randori.patches.build import building
from randori.patches.library import PatchLibrary
from randori.patches.pattern import PatchScene


def test_two_workers_of_which_one_is_killed(
    small_patches: PatchLibrary, small_scene: PatchScene, small_graph: ActionGraph
) -> None:
    distributed = pytest.importorskip("distributed")
    with distributed.LocalCluster(
        n_workers=2, threads_per_worker=1, processes=True, dashboard_address=None
    ) as cluster:
        work = building(small_scene, small_patches.text, small_graph, cluster=cluster.scheduler_address)
        victim, finished = cluster.workers[0].process.pid, None
        while finished is None:
            try:
                share = next(work)
            except StopIteration as end:
                finished = end.value
            else:
                if victim and share > 0.3:
                    os.kill(victim, signal.SIGKILL)
                    victim = None
    assert victim is None, "it was over before anybody was killed"
    for one, other in zip(small_patches.arrays, finished.arrays):
        assert one.tobytes() == other.tobytes()
