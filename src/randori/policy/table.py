"""Knowledge of avatars: the values of all behaviours, and the motions that they are based on."""

import hashlib
import os
from collections.abc import Generator, Sequence
from dataclasses import asdict, dataclass
from functools import cached_property
from typing import Any

import numpy as np

from randori import __version__
from randori.errors import FileError, RandoriError
from randori.formats.arrays import expect, is_json, read_arrays, read_words, with_words, write_arrays
from randori.graph.library import ActionLibrary
from randori.kernels.policy_choice import CHOICE, Tables
from randori.policy.behaviours import BEHAVIOURS, PAPER, Behaviour, Settings
from randori.policy.model import SHORTEST, THRESHOLD, Model, involuntary
from randori.policy.training import Solution, discount_per_tick, solving
from randori.work import finish

KIND, SCHEMA = "randori policy", 2
_TYPES: dict[str, np.dtype[Any]] = {"words": np.dtype("u1"), "values": np.dtype("<u2")}
_LARGEST_VALUE = np.iinfo(_TYPES["values"]).max
_MOST_WORDS = 1024**2
_MOST_CELLS = 1000  # along one axis of a grid
_LARGEST_SETTING = 1e4  # of any number


@dataclass(frozen=True, eq=False)
class PolicyTable:
    """The values of some behaviours on one library."""

    model: Model
    settings: Settings
    shortest: float  # seconds, see policy/model.py
    behaviours: tuple[Behaviour, ...]
    values: np.ndarray  # (S, E) uint16, behaviours side by side
    units: tuple[float, ...]  # of each behaviour: what 1 in its values is worth
    residuals: tuple[float, ...]  # of each behaviour, when it was trained
    version: str = __version__

    @property
    def names(self) -> tuple[str, ...]:
        return tuple(behaviour.name for behaviour in self.behaviours)

    @cached_property
    def hot(self) -> Tables:
        """For kernels."""
        moves, made = self.model.moves, self.behaviours
        discount = discount_per_tick(self.settings, self.model.library.fps)
        moments = [self.model.moments(behaviour.marks, discount) for behaviour in made]
        offsets = np.cumsum([0] + [len(found.tick) for found in moments])
        firsts = np.cumsum([0] + [len(behaviour.grid) for behaviour in made]).tolist()
        actions = np.empty(len(moves.goal), CHOICE)
        actions["goal"], actions["ticks"] = moves.goal, moves.ticks
        actions["later"] = np.exp(-discount * moves.ticks)
        actions["x"], actions["z"] = moves.move[:, 0], moves.move[:, 1]
        actions["cosine"], actions["sine"] = np.cos(moves.move[:, 2]), np.sin(moves.move[:, 2])
        behaviours = [
            behaviour.record(_leads_to(behaviour, number, self.names), first, unit)
            for number, (behaviour, first, unit) in enumerate(zip(made, firsts, self.units))
        ]
        return Tables(
            moves.indptr,
            actions,
            self.values,
            np.stack(behaviours),
            np.array([found.indptr + offset for found, offset in zip(moments, offsets)]),
            np.concatenate([found.records() for found in moments]),
        )

    def report(self) -> dict[str, object]:
        """On what it stands, and how well it converged."""
        return {
            "behaviours": ", ".join(self.names),
            "states": len(self.values),
            "actions": len(self.model.moves.goal),
            "seconds": round(self.model.graph.kept_frames / self.model.library.fps, 1),
            "size (MB)": round(self.values.nbytes / 1e6, 2),
            "residual": {
                name: float(f"{residual:.1e}") for name, residual in zip(self.names, self.residuals)
            },
            "library": fingerprint(self.model.library),
            "version": self.version,
        }


def _leads_to(behaviour: Behaviour, number: int, names: Sequence[str]) -> int:
    """The number of the behaviour that takes over from one, or its own if the table has none."""
    return names.index(behaviour.then.name) if behaviour.then and behaviour.then.name in names else number


def training(
    library: ActionLibrary,
    names: Sequence[str] = PAPER,
    settings: Settings | None = None,
    *,
    threshold: float = THRESHOLD,
    shortest: float = SHORTEST,
    threads: int | None = None,
) -> Generator[float, None, PolicyTable]:
    """Learn behaviours from a library; yields the share that is done, with the residual in words."""
    settings = settings or Settings()
    unknown = [name for name in names if name not in BEHAVIOURS]
    if unknown or not names:
        raise RandoriError(
            f"{', '.join(unknown) or 'nothing'} cannot be learned; behaviours are {', '.join(BEHAVIOURS)}"
        )
    model = _model(library, threshold, shortest)
    behaviours = tuple(BEHAVIOURS[name](model, settings) for name in names)
    solved: dict[str, Solution] = {}
    # those that lead to another one come after it
    for number, behaviour in enumerate(sorted(behaviours, key=lambda made: made.then is not None)):
        known = solved.get(behaviour.then.name) if behaviour.then else None
        work = solving(model, behaviour, settings, threads, then=known.values if known else None)
        while True:
            try:
                yield next(work).among(number, len(behaviours))
            except StopIteration as finished:
                solved[behaviour.name] = finished.value
                break
    found = [solved[name] for name in names]
    # 16 bits tell values apart that differ by less than a tick does
    units = tuple(max(float(one.values.max()), 1e-9) / _LARGEST_VALUE for one in found)
    values = [np.rint(one.values / unit).astype(_TYPES["values"]) for one, unit in zip(found, units)]
    residuals = tuple(one.residual for one in found)
    return PolicyTable(
        model, settings, shortest, behaviours, np.concatenate(values, axis=1), units, residuals
    )


def train_policy(
    library: ActionLibrary,
    behaviours: Sequence[str] = PAPER,
    settings: Settings | None = None,
    threads: int | None = None,
) -> PolicyTable:
    """The table of a policy, learned from a library; see `training`.

    >>> table = train_policy(library, ["approach", "punch"])
    """
    return finish(training(library, behaviours, settings, threads=threads))


def _model(library: ActionLibrary, threshold: float, shortest: float) -> Model:
    model = Model.of(library, threshold, shortest)
    if len(model.moves.goal) == 0:
        raise RandoriError(
            "nothing can be learned: no frame of the library is similar enough to another one to go on "
            "from; capture longer recordings, or raise the threshold"
        )
    return model


def fingerprint(library: ActionLibrary) -> str:
    """A hash that identifies a library: by its frames, strikes and bones."""
    found = hashlib.sha256()
    skeleton, frames = library.skeleton, library.frames
    for array in (skeleton.offsets, skeleton.tips, frames.root_position, frames.rotations, frames.contacts):
        found.update(np.ascontiguousarray(array).tobytes())
    for array in (*library.actions[:3], *library.strikes):
        found.update(np.ascontiguousarray(array).tobytes())
    found.update(repr((skeleton.names, library.fps)).encode())
    if unchosen := involuntary(library):
        found.update(repr(unchosen).encode())
    return found.hexdigest()[:32]


def write(path: str | os.PathLike[str], table: PolicyTable) -> None:
    """Write a table; the library that it stands on is named, not kept in it."""
    words = {
        "kind": KIND,
        "schema": SCHEMA,
        "version": table.version,
        "library": fingerprint(table.model.library),
        "clips": [clip.name for clip in table.model.library.clips],
        "behaviours": list(table.names),
        "settings": asdict(table.settings),
        "threshold": table.model.graph.threshold,
        "shortest": table.shortest,
        "units": list(table.units),
        "residuals": list(table.residuals),
    }
    write_arrays(path, with_words(words, {"values": table.values}, _TYPES), _contents)


def read(path: str | os.PathLike[str], library: ActionLibrary) -> PolicyTable:
    """The table of a library. One that stands on another library, or on other frames, is refused."""
    words, values = read_arrays(path, "a policy table", _TYPES, _contents)
    if words["library"] != fingerprint(library):
        clips = ", ".join(words["clips"][:3])
        raise FileError(
            path,
            f"was trained on another library (of {len(words['clips'])} recordings: {clips}"
            f"{', …' if len(words['clips']) > 3 else ''}); give that one, or train a table for this one",
        )
    settings = Settings(**words["settings"])
    model = _model(library, words["threshold"], words["shortest"])
    behaviours = tuple(BEHAVIOURS[name](model, settings) for name in words["behaviours"])
    shape = (len(model.moves.indptr) - 1, sum(len(behaviour.grid) for behaviour in behaviours))
    if values.shape != shape:
        raise FileError(
            path,
            f"has values of {values.shape[0]} states and {values.shape[1]} targets, not {shape[0]} and "
            f"{shape[1]}: Randori {words['version']} wrote it; train it again",
        )
    return PolicyTable(
        model,
        settings,
        words["shortest"],
        behaviours,
        values,
        tuple(words["units"]),
        tuple(words["residuals"]),
        words["version"],
    )


def _check_settings(settings: dict[str, Any]) -> None:
    """Each of its type, and within what a grid can be built of."""
    usual = asdict(Settings())
    expect(set(settings) == set(usual), "the settings of this version")
    for key, value in usual.items():
        expect(is_json(settings[key], type(value)), f"{key} to be a {type(value).__name__}")
        most = _MOST_CELLS if isinstance(value, int) else _LARGEST_SETTING
        expect((1 if isinstance(value, int) else 0) <= settings[key] <= most, f"{key} of at most {most:g}")
    expect(0.0 < settings["discount"] < 1.0, "discount between 0 and 1")
    for key in ("rate", "radius", "pace", "reach", "evade_scale"):
        expect(settings[key] > 0.0, f"{key} above 0")
    for key in ("outliers", "height_outliers"):
        expect(settings[key] < 0.5, f"{key} below a half")


def _contents(arrays: dict[str, np.ndarray]) -> tuple[dict[str, Any], np.ndarray]:
    """The words and values of a file, after everything about them has been checked."""
    types = {
        "version": str,
        "library": str,
        "clips": list,
        "behaviours": list,
        "settings": dict,
        "threshold": float,
        "shortest": float,
        "units": list,
        "residuals": list,
    }
    words = read_words(arrays["words"], _MOST_WORDS, KIND, SCHEMA, types)
    names = words["behaviours"]
    expect(
        all(is_json(name, str) and name in BEHAVIOURS for name in names), f"some of {', '.join(BEHAVIOURS)}"
    )
    expect(0 < len(names) == len(set(names)), "behaviours, each of them once")
    expect(all(is_json(name, str) for name in words["clips"]), "names of clips")
    _check_settings(words["settings"])
    for key, most in (("threshold", 10.0), ("shortest", 60.0)):
        expect(0.0 < words[key] <= most, f"{key} above 0, at most {most:g}")
    expect(arrays["values"].ndim == 2, "values of states and targets")
    for key in ("units", "residuals"):
        numbers = words[key]
        expect(len(numbers) == len(names), f"{key} of every behaviour")
        expect(all(is_json(one, float) for one in numbers), f"{key} that are numbers")
    expect(all(0.0 < unit < 1.0 for unit in words["units"]), "units from 0 to 1")
    return words, arrays["values"]
