"""The scenes of patches that are measured: as they are shipped, or cut down to a few seconds of work."""

from collections.abc import Generator, Sequence
from dataclasses import dataclass
from functools import cached_property

from randori.patches.pattern import PatchScene, read_patterns, scene_text
from randori.patches.picture import HEART
from randori.patches.prepared import Prepared, preparing, preparing_graph, working_out
from randori.work import part

_FEW_PATCHES = 12  # of a pattern
# Actions of a word, or 2. With 2, one-fights-many has no patch with an attack, and football none at all:
# no run leads to where the runner can get out of the way.
_FEW_ACTIONS = {"one-fights-many": 4, "football": 4}
_FEW_SECONDS = 90.0  # of each set of motions
_SHORT_DELAY = 0.1  # seconds before and after the partner: the number of candidates grows with the delays
_SQUARE = ("###",) * 3


@dataclass(frozen=True)
class Size:
    """The extent of the measurement."""

    quick: bool  # with scenes that are cut down
    built: Sequence[str]  # scenes whose building is measured
    seconds: float  # of each composition
    people: int | None  # in the mouse's crowd; None: as in the scene
    picture: Sequence[str]  # that dominoes fill
    picture_seeds: Sequence[int]
    crowds: Sequence[int]  # characters in close contact
    fighting: float  # seconds that a crowd fights
    mouse_seeds: Sequence[int]
    mouse_seconds: float
    starts: int  # starting positions along a path
    depths: Sequence[int]  # plies of the search along a path
    lively_seeds: Sequence[int]
    lively_seconds: float  # of each scene whose liveliness is measured
    command_seeds: Sequence[int]
    command_seconds: float

    def reading(self, name: str) -> tuple[PatchScene, str]:
        """A scene and its text."""
        scene, text = read_patterns(name), scene_text(name)
        return (_cut_down(scene), f"{text}# cut down") if self.quick else (scene, text)

    def preparing(self, name: str) -> Generator[float, None, Prepared]:
        """A scene's motions and patches; yields the share that is done."""
        if not self.quick:
            return (yield from preparing(name))
        if name not in self._kept:
            scene, text = self.reading(name)
            graph = yield from part(preparing_graph(scene), 0.0, 0.3)
            patches = yield from part(working_out(scene, text, graph), 0.3, 0.7)
            self._kept[name] = Prepared(graph, patches)
        return self._kept[name]

    @cached_property
    def _kept(self) -> dict[str, Prepared]:
        return {}


WHOLE = Size(
    quick=False,
    built=("one-fights-many", "two-fight", "football", "mouse", "dominoes", "luggage"),
    seconds=30.0,
    people=None,
    picture=HEART,
    picture_seeds=range(3000, 3006),
    crowds=(10, 100, 1000),
    fighting=60.0,
    mouse_seeds=(3000, 3001, 3002),
    mouse_seconds=15.0,
    starts=20,
    depths=(1, 2, 3),
    lively_seeds=range(7000, 7020),
    lively_seconds=120.0,
    command_seeds=range(7000, 7010),
    command_seconds=60.0,
)
QUICK = Size(
    quick=True,
    built=("football", "luggage"),
    seconds=1.0,
    people=4,
    picture=_SQUARE,
    picture_seeds=(3000,),
    crowds=(2, 4),
    fighting=2.0,
    mouse_seeds=(3000,),
    mouse_seconds=3.0,
    starts=1,
    depths=(1,),
    lively_seeds=(7000,),
    lively_seconds=2.0,
    command_seeds=(7000,),
    command_seconds=10.0,
)


def _cut_down(scene: PatchScene) -> PatchScene:
    """The same patterns with few actions each, from a short recording."""
    few = _FEW_ACTIONS.get(scene.name, 2)
    seconds = min(scene.motions.seconds or _FEW_SECONDS, _FEW_SECONDS)
    motions = scene.motions.model_copy(update={"seconds": seconds, "seed": 3, "threshold": 0.14})
    words = {
        name: word.model_copy(
            update={"most": min(word.most, few), "then": min(word.then, few), "delay": _shortened(word.delay)}
        )
        for name, word in scene.annotation.items()
    }
    patterns = tuple(
        one.model_copy(update={"keep": min(one.keep, _FEW_PATCHES), "threshold": 0.0})
        for one in scene.pattern
    )
    changes = {"motions": motions, "annotation": words, "pattern": patterns, "chain": 0, "successors": 6}
    return scene.model_copy(update=changes)


def _shortened(delay: tuple[float, float]) -> tuple[float, float]:
    """The part of a range of delays that is near 0, if 0 is in it; otherwise the whole range."""
    first, last = delay
    return (max(first, -_SHORT_DELAY), min(last, _SHORT_DELAY)) if first <= 0.0 <= last else delay
