"""Patches that nothing leads to: a part of them begins in a posture that no character ever reaches."""

import numpy as np

from randori.graph.action_graph import ActionGraph
from randori.patches.library import PatchArrays
from randori.patches.stock import Stock

_CALM_KINDS = (
    "transition",
    "locomotion",
    "rise",
)  # kinds of actions that composition can play between patches


def reachable(arrays: PatchArrays, graph: ActionGraph, stock: Stock) -> np.ndarray:
    """(N,) bool: patches whose two parts begin where a step, a get-up, standing or another patch ends.

    A part that begins in the middle of an action continues a patch that runs beside it; a mouse is
    nowhere in the graph.
    """
    firsts = arrays.step_start[:-1]
    actions = arrays.step["action"][firsts]
    whole = arrays.step["first"][firsts] == stock.first[actions]
    begins = np.where(whole, stock.start_posture[actions], -1).reshape(-1, 2)
    ends = stock.end_posture[arrays.step["action"][arrays.step_start[1:] - 1]].reshape(-1, 2)
    calm = [one for one in graph.actions.tolist() if graph.library.tags[one].kind in _CALM_KINDS]
    stepped = np.isin(np.arange(stock.postures), graph.end_posture[calm])  # (P,) bool
    kept = np.ones(len(begins), dtype=bool)
    while True:
        there = stepped | np.isin(np.arange(stock.postures), ends[kept])
        still = kept & ((begins < 0) | there[begins]).all(axis=1)
        if (still == kept).all():
            return kept
        kept = still
