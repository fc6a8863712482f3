"""Scenes of avatars: a target that is dragged about, sparring, thirty boxers, a person against a boxer."""

import math
from collections.abc import Callable

import numpy as np

from randori.errors import RandoriError
from randori.motion.easing import smooth_step
from randori.motion.placement import Placement
from randori.policy.arena import AHEAD, Arena, Avatar
from randori.policy.table import PolicyTable
from randori.timeline.session import Input, Script

_HEAD = 1.5  # metres, where a target hangs
GLANCE = 4  # states that one of many looks at before it chooses
_FEW = 3  # of the best actions, for liveliness
_DRAGGED = 0.9  # metres per second on the mean that a target is dragged at
_EVERY = 3  # ticks between two places that are sent while it is
_HANGS = 1.6  # seconds that it hangs where it was dragged to
_APART = 0.6  # metres from the middle of a pair
_SPACING = 3.5  # metres between pairs


def target(table: PolicyTable, seed: int = 1) -> Arena:
    """A boxer and a target that hangs in the air: drag it (`target`), the boxer follows and hits it."""
    cast = [Avatar("boxer", Placement(), aim=-1, few=_FEW, ahead=_looks(table))]
    return Arena(table, cast, [(0.0, _HEAD, 1.2)], seed, "target")


def sparring(table: PolicyTable, seed: int = 1) -> Arena:
    """Two boxers, each at the other one's head."""
    return Arena(table, _pair(0, 0.0, 0.0, 0.0, _looks(table)), seed=seed, name="sparring")


def thirty(table: PolicyTable, seed: int = 1) -> Arena:
    """Fifteen pairs in a hall."""
    cast: list[Avatar] = []
    for pair in range(15):
        row, column = divmod(pair, 5)
        cast += _pair(len(cast), _SPACING * column, _SPACING * row, 2.4 * pair, min(GLANCE, _looks(table)))
    return Arena(table, cast, seed=seed, name="thirty")


def person(table: PolicyTable, seed: int = 1) -> Arena:
    """A person against a boxer: `goal` walks, `fight` goes at the boxer, `guard` gets out of the way."""
    return _Person(
        table, _pair(0, 0.0, 0.0, 0.0, _looks(table)), [(0.0, _HEAD, 0.0)], seed, "person", solid=False
    )


SCENES: dict[str, Callable[[PolicyTable, int], Arena]] = {
    made.__name__: made for made in (target, sparring, thirty, person)
}


def open_scene(name: str, table: PolicyTable, seed: int = 1) -> Arena:
    """A scene by its name."""
    if name not in SCENES:
        raise RandoriError(f"there is no scene of avatars {name!r}; there are {', '.join(SCENES)}")
    return SCENES[name](table, seed)


class _Person(Arena):
    """An arena in which the first avatar does as it is told."""

    def send(self, what: str, **values: object) -> Input:
        """`goal` (place), `fight` and `guard`, besides what every arena knows."""
        world, names = self.world, self.table.names
        own = dict(zip(names, range(len(names))))
        if what == "goal":
            world.props.place[0] = self._point(what, values)
            world.avatars["aim"][0] = -1
            self._weigh(own, approach=1.0)
        elif what == "fight":
            world.avatars["aim"][0] = 1
            self._weigh(own, **self.cast[0].weights)
        elif what == "guard":
            world.avatars["aim"][0] = 1
            self._weigh(own, evade=1.0)
        else:
            return super().send(what, **values)
        return self._note(what, values)

    def _weigh(self, own: dict[str, int], **weights: float) -> None:
        for name, column in own.items():
            self.world.weights[0, column] = weights.get(name, 0.0)


def _looks(table: PolicyTable) -> int:
    """States that an avatar looks at before it chooses: one with the paper's reward, as in the paper."""
    return 1 if table.settings.near > 0.0 else AHEAD


def _pair(first: int, x: float, z: float, turn: float, ahead: int) -> list[Avatar]:
    """Two who face each other."""
    cast = []
    for number in (0, 1):
        yaw = turn + math.pi * number
        place = Placement(x - _APART * math.sin(yaw), z - _APART * math.cos(yaw), yaw)
        who = first + number
        cast.append(Avatar(f"boxer {who + 1}", place, first + 1 - number, few=_FEW, ahead=ahead, outfit=who))
    return cast


def _drag(ticks: int, fps: float, seed: int) -> list[Input]:
    """A target dragged from place to place as a hand does it: it sets off, comes to rest, and hangs."""
    random = np.random.default_rng(seed)
    here, tick, found = np.array([0.0, _HEAD, 1.2]), round(_HANGS * fps), []
    bearing = 0.0
    while tick < ticks:
        bearing += float(random.uniform(0.5, 1.8)) * (1.0 if random.random() < 0.7 else -1.0)
        distance = float(random.uniform(1.0, 2.2))
        height = _HEAD - float(random.uniform(0.0, 0.3))
        there = np.array([distance * math.sin(bearing), height, distance * math.cos(bearing)])
        length = float(np.linalg.norm(there - here))
        steps = max(math.ceil(length / _DRAGGED * fps / _EVERY), 1)
        for step in range(1, steps + 1):
            place = here + float(smooth_step(step / steps)) * (there - here)
            found.append(Input(tick, "target", {"which": 0, "place": np.round(place, 3).tolist()}))
            tick += _EVERY
        here, tick = there, tick + round(_HANGS * fps)
    return [one for one in found if one.tick < ticks]


def example(name: str, fps: float, seconds: float, seed: int = 1) -> Script:
    """What somebody might do in a scene: a target dragged around, a person who walks, fights and guards."""
    ticks = round(seconds * fps)
    inputs: list[Input] = []
    if name == "target":
        inputs += _drag(ticks, fps, seed)
    if name == "person":
        doings: list[tuple[str, dict[str, object]]] = [
            ("goal", {"place": [1.5, _HEAD, 0.5]}),
            ("fight", {}),
            ("guard", {}),
            ("fight", {}),
        ]
        for number, tick in enumerate(range(0, ticks, round(3.0 * fps))):
            what, values = doings[number % len(doings)]
            inputs.append(Input(tick, what, values))
    return Script(name, seed, ticks, tuple(inputs))
