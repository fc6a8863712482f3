"""The action combination table: how well each defence suits each attack (docs/duel.md).

Below the defences there is a row for each attack, with which it is answered: all 0 until a person says more.
"""

import tomllib
from collections.abc import Iterable
from dataclasses import dataclass
from difflib import get_close_matches
from importlib.resources import files

import numpy as np

from randori.capture.actions import Tags
from randori.errors import RandoriError

POSITIONS = ("head", "upper torso", "lower torso")


@dataclass(frozen=True)
class Annotation:
    """The target and the direction of an attack, or the targets and directions that a defence covers."""

    position: frozenset[str]
    direction: frozenset[str]

    def going_to(self, position: str) -> "Annotation":
        """The same attack, recorded going to a place."""
        if not position or position in self.position:
            return self
        return Annotation(frozenset({position}), self.direction)


@dataclass(frozen=True)
class Amendment:
    """A row that a person has set."""

    defence: str  # or an attack that answers the other one
    attack: str
    suitability: float  # -1 to 1; combinations below 0 are avoided
    position: str = ""  # of the attack; empty for all


def _read(kind: str) -> dict[str, Annotation]:
    text = files("randori.duel").joinpath("annotations.toml").read_text(encoding="utf-8")
    rows = tomllib.loads(text)[kind]
    return {
        name: Annotation(frozenset(row["position"]), frozenset(row["direction"]))
        for name, row in rows.items()
    }


ATTACKS, DEFENCES = _read("attacks"), _read("defences")
ANSWERS = (*DEFENCES, *ATTACKS)  # names that a row of the table can have
ROWS = tuple(DEFENCES)
COLUMNS = tuple((attack, position) for attack in ATTACKS for position in POSITIONS)


def suitability(defence: Annotation, attack: Annotation) -> float:
    """S: the share of what a defence covers that the attack has."""
    matched = len(defence.position & attack.position) + len(defence.direction & attack.direction)
    return matched / (len(defence.position) + len(defence.direction))


def row_of(tags: Tags) -> int:
    """The row of a defence, or -1."""
    return ROWS.index(tags.technique) if tags.technique in ROWS else -1


def column_of(tags: Tags) -> int:
    """The column of an attack, or -1."""
    position = tags.position if tags.position in POSITIONS else POSITIONS[0]
    key = (tags.technique, position)
    return COLUMNS.index(key) if key in COLUMNS else -1


def combination_table(amendments: Iterable[Amendment] = ()) -> np.ndarray:
    """(defences + attacks, attacks) the table as generated, with what a person amended."""
    table = np.zeros((len(ROWS) + len(COLUMNS), len(COLUMNS)))
    table[: len(ROWS)] = np.array(
        [
            [suitability(DEFENCES[row], ATTACKS[attack].going_to(position)) for attack, position in COLUMNS]
            for row in ROWS
        ]
    )
    for amendment in amendments:
        answer = _known("defence or attack", amendment.defence, ANSWERS)
        attack = _known("attack", amendment.attack, ATTACKS)
        rows = [ROWS.index(answer)] if answer in ROWS else []
        rows += [len(ROWS) + k for k, (technique, _) in enumerate(COLUMNS) if technique == answer]
        positions: tuple[str, ...] = POSITIONS
        if amendment.position:
            positions = (_known("position", amendment.position, POSITIONS),)
        for position in positions:
            table[rows, COLUMNS.index((attack, position))] = amendment.suitability
    return table


def _known(what: str, name: str, names: Iterable[str]) -> str:
    names = list(names)
    if name in names:
        return name
    near = get_close_matches(name, names, 1)
    hint = f"; did you mean {near[0]!r}?" if near else ""
    raise RandoriError(f"combination: no {what} is called {name!r}{hint} There are: {', '.join(names)}")
