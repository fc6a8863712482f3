"""Inputs of live sessions and scenes that are played, damaged in every way; see fuzz.py.

Other kinds only read scenes and messages. Here real sessions of every controller get damaged inputs, and
damaged scenes are prepared and played for some ticks. Poses have to stay finite.
"""

import json
import tempfile
import tomllib
from functools import cache
from pathlib import Path
from typing import Any

import numpy as np
import tomlkit
from fuzz import Kind, damaged_document
from fuzz_words import _TOML_VALUES

from randori.errors import RandoriError
from randori.scene.preparing import preparing_scene
from randori.scene.scene import Scene
from randori.scene.session import SceneSession
from randori.studio import messages as wire
from randori.studio.live import _REQUEST
from randori.studio.project import Project
from randori.studio.scenes import shipped_text
from randori.studio.sessions import LiveScene, opening
from randori.timeline.session import Frame
from randori.work import finish

SESSIONS = ("boxing", "target", "punch")  # fighters, characters that have learned, and one that prepares
TICKS = 4  # that are played after an input
_PLAYED = 20  # ticks of a damaged scene: the first decisions are made
_NUMBERS = (float("nan"), float("inf"), -1e308, 1e9, 0, -1, 3, 2**70, True)
_VALUES: tuple[Any, ...] = (
    *_NUMBERS,
    None,
    "",
    "ö",
    "Red",
    "[/x]",
    [],
    {},
    [[]],
    [0.0, 0.0],
    [1e300, float("nan")],
)


@cache
def _live(name: str) -> LiveScene:
    start = wire.LiveStart(type="start", session=name, seed=3)
    with tempfile.TemporaryDirectory() as folder:
        live = finish(opening(start, Project(Path(folder))))
    assert isinstance(live, LiveScene)
    return live


@cache
def _inputs(name: str) -> list[dict[str, Any]]:
    """What the page can send to a session, and what scripts can."""
    live = _live(name)
    found = [
        {
            "what": control.what,
            "values": {**control.values, **({control.value: 1.0} if control.value else {})},
        }
        for control in live.controls
    ]
    for who in (live.names[0], live.names[:2], *live.session.parts[0].things[:1]):
        found += [
            {"what": "go", "values": {"who": who, "place": [0.5, 1.0]}},
            {"what": "face", "values": {"who": who, "degrees": 90.0}},
            {"what": "do", "values": {"who": who, "action": "jab"}},
            {"what": "set", "values": {"who": who, "key": "distance", "value": 1.5}},
            {"what": "take over", "values": {"who": who}},
            {"what": "let go", "values": {"who": who}},
        ]
    return found


def _damaged_input(rng: np.random.Generator) -> bytes:
    """A line with the name of a session, and an input of it after that."""
    name = SESSIONS[int(rng.integers(0, len(SESSIONS)))]
    known = _inputs(name)
    sent = known[int(rng.integers(0, len(known)))]
    changed = damaged_document(sent, rng, _VALUES)
    if rng.integers(0, 8) == 0 and isinstance(changed.get("values"), dict):
        key = str(rng.choice(["what", "self", "who", "x" * 2000, "key", "ö"]))
        changed["values"][key] = _VALUES[int(rng.integers(0, len(_VALUES)))]
    return name.encode() + b"\n" + json.dumps({"type": "input", **changed}).encode()


def _check(frame: Frame) -> None:
    for values in (frame.root_position, frame.rotations, frame.props):
        assert np.isfinite(values).all()


def _read_input(folder: Path, content: bytes) -> bool:
    """Send an input as the page does, and play on: whether it is obeyed, and not refused."""
    from pydantic import ValidationError

    name, _, body = content.partition(b"\n")
    live = _live(name.decode())
    used = live.copied() or live
    try:
        asked = _REQUEST.validate_json(body)
        used.send(asked.what, asked.values)
    except (ValidationError, RandoriError):
        return False
    for _ in range(TICKS):
        _check(used.step())
    return True


def _damaged_scene(rng: np.random.Generator) -> bytes:
    """A scene in order whose motions are kept, so that no new ones are performed; the rest is damaged."""
    whole = tomllib.loads(shipped_text(SESSIONS[int(rng.integers(0, len(SESSIONS)))]))
    motions = whole.pop("motions", None)
    changed = damaged_document(whole, rng, _TOML_VALUES)
    try:
        return tomlkit.dumps(changed if motions is None else {**changed, "motions": motions}).encode()
    except Exception:  # a value that TOML has no word for
        return b""


def _read_scene(folder: Path, content: bytes) -> bool:
    """Prepare a scene and play some ticks of it: whether that is done, and not refused."""
    path = folder / "scene.toml"
    path.write_bytes(content)
    try:
        scene = Scene.load(path)
        session = SceneSession(scene, finish(preparing_scene(scene)))
        for _ in range(_PLAYED):
            _check(session.step())
    except RandoriError:
        return False
    return True


KINDS: dict[str, Kind] = {
    "session": Kind(_damaged_input, _read_input),
    "play": Kind(_damaged_scene, _read_scene),
}
