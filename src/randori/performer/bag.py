"""Everything once, in another order each time: so that a take leaves nothing out, and is no catalogue."""

from collections.abc import Sequence
from typing import Generic, TypeVar

import numpy as np

Thing = TypeVar("Thing")


class Bag(Generic[Thing]):
    """Deals its things one by one, and shuffles them again when all have been dealt."""

    def __init__(self, rng: np.random.Generator, things: Sequence[Thing]):
        self._rng, self._things = rng, things
        self._left: list[Thing] = []

    def draw(self) -> Thing:
        """The next one."""
        if not self._left:
            self._left = [self._things[k] for k in self._rng.permutation(len(self._things))]
        return self._left.pop()
