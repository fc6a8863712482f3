"""Calmness of actions: low hands and little haste. Winners choose the calmest actions."""

from collections.abc import Sequence

import numpy as np

from randori.body.capsules import CAPSULES
from randori.capture.actions import Tags
from randori.duel.game import Stock

_HASTE = 1.5  # m/s of the hands over the floor and up, with which an action is not calm at all
_HIGH, _LOW = 0.0, 0.6  # metres that hands are below the head in a guard, and with lowered arms
_HANDS = tuple(CAPSULES.index(f"{side}_hand") for side in ("left", "right"))
_HEAD = CAPSULES.index("head")


def find_calmness(stock: Stock, tags: Sequence[Tags]) -> np.ndarray:
    """(A,) from 0 for actions that are not calm at all to 1 for the calmest; `tags` are those of all A."""
    calm = np.zeros(len(stock.first))
    for action, tag in enumerate(tags):
        if tag.kind not in ("transition", "locomotion") or tag.technique == "feint":
            continue
        first = int(stock.first[action])
        frames = stock.body[first : first + int(stock.ticks[action]) + 1]
        hands = frames[:, _HANDS, 1].astype(float)  # (T, 2, 3)
        below = frames[:, _HEAD, 1, 1].mean() - hands[..., 1].mean(axis=0).max()
        lowered = np.clip((below - _HIGH) / (_LOW - _HIGH), 0.0, 1.0)
        moved = np.linalg.norm(np.diff(hands, axis=0), axis=-1)
        haste = float(moved.mean()) / stock.tick if len(moved) else 0.0
        calm[action] = lowered * np.clip(1.0 - haste / _HASTE, 0.0, 1.0)
    return calm / max(float(calm.max(initial=0.0)), 1e-9)
