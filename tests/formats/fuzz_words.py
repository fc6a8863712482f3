"""Randori's own files and messages, damaged in every way; see fuzz.py.

What is accepted is used as commands and the studio use it: that may refuse it, too, but only in words.
"""

import asyncio
import json
import tempfile
import tomllib
from collections.abc import Callable
from contextlib import suppress
from dataclasses import replace
from functools import cache, partial
from pathlib import Path
from typing import Any

import numpy as np
import tomlkit
from fuzz import Kind, damaged, damaged_arrays, damaged_document

from randori.capture.actions import Analysis, Segment, Tags
from randori.capture.analysis import analyse
from randori.capture.sidecar import read_sidecar, with_edits, write_sidecar
from randori.cli.patches import patches_report
from randori.errors import RandoriError
from randori.formats.arrays import read_arrays, with_words, write_arrays
from randori.graph import library_file
from randori.graph.action_graph import build_action_graph
from randori.graph.library import ActionLibrary, build_library
from randori.kernels.patch_joins import ALONE, BESIDE, TOGETHER
from randori.patches import library as patches
from randori.patches.pattern import parse_patterns
from randori.patches.pattern import scene_text as pattern_text
from randori.performer import perform
from randori.performer import truth as truth_file
from randori.policy import table as policy
from randori.policy.behaviours import BEHAVIOURS, Settings
from randori.policy.model import SHORTEST, THRESHOLD, Model
from randori.prepare import controller_file
from randori.scene.scene import Scene, shipped_scenes
from randori.scene.story import choices, judged, story, why
from randori.scene.take import Take, make_take
from randori.scene.take_file import is_take
from randori.studio import messages as wire
from randori.studio.buffers import take_buffer
from randori.studio.jobs import Jobs
from randori.studio.live import _REQUEST
from randori.studio.project import Project
from randori.studio.scenes import document, edited, shipped_text
from randori.studio.server import Studio, make_app, understand
from randori.studio.worker import Answer, Order
from randori.timeline.session import Input, Script, read_script, write_script
from randori.timeline.timeline import Decision, Event, Option
from timeline_samples import random_timeline

TOKEN, PORT = "open-sesame", 80


# Samples


def _bytes_of(write: Callable[[Path], object], name: str = "file.npz") -> bytes:
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / name
        write(path)
        return path.read_bytes()


@cache
def _library() -> ActionLibrary:
    clip = perform("boxing", 8.0, seed=2)[0].clip
    return build_library([(clip, analyse(clip))])


@cache
def _library_file() -> bytes:
    return _bytes_of(lambda path: library_file.write(path, _library()))


@cache
def _take_file() -> bytes:
    take = make_take(random_timeline(build_action_graph(_library(), 0.3), 0.5, (1, 2)), "Sparring")
    options = (Option(0, "", {"distance": 1.0}), Option(1, "overlap", {"distance": 0.5, "taken": 2.0}))
    decision = Decision(1, 0, 0, 3, 0.5, -0.5, (1,), ((0, 0, 1), (1, 1, 5)), options)
    events = (Event(3, "hit", 0, 1, "left_hand", "head", 2.0, (0.0, 1.5, 0.0)), Event(5, "checkpoint", -1))
    words = {"scene": "sparring", "seed": 1, "goals not met": ["a fall"]}
    return _bytes_of(replace(take, decisions=(decision,), events=events, provenance=words).save)


@cache
def _table_file() -> bytes:
    """A table of which nothing was learned: what is read is the same."""
    model, settings = Model.of(_library(), THRESHOLD, SHORTEST), Settings()
    made = (BEHAVIOURS["evade"](model, settings),)
    values = np.zeros((len(model.moves.indptr) - 1, len(made[0].grid)), np.uint16)
    table = policy.PolicyTable(model, settings, SHORTEST, made, values, (0.5,), (0.0,))
    return _bytes_of(lambda path: policy.write(path, table))


@cache
def _controller_file() -> bytes:
    words = {
        "kind": controller_file.KIND,
        "schema": controller_file.SCHEMA,
        "gaits": "0" * 32,
        "clips": ["walk"],
        "reach": 0.6,
        "steepest": 1,
        "guided": True,
    }
    arrays = with_words(
        words, {"values": np.zeros((40, 6)), "history": np.zeros((3, 5))}, controller_file._TYPES
    )
    return _bytes_of(lambda path: write_arrays(path, arrays, controller_file._contents))


@cache
def _patches_file() -> bytes:
    """Three patches of a scene, each with a step for either character and an event."""
    text = pattern_text("two-fight")
    count = 3
    steps = np.zeros(2 * count, patches.PATCH_STEP)
    steps["stop"] = 20
    events = np.zeros(count, patches.EVENT)
    events["whom"], events["capsule"], events["part"] = 1, 3, 0
    joins = [np.zeros(count, record) for record in (TOGETHER, ALONE, BESIDE)]
    for table in joins:
        table["patch"] = np.arange(count)
    made = patches.PatchLibrary(
        parse_patterns(text, "two-fight"),
        text,
        "0" * 32,
        patches.PatchArrays(
            np.zeros(count, np.int64),
            np.ones(count),
            np.ones((count, 4)),
            np.ones((count, 4)),
            np.arange(2 * count + 1),
            steps,
            np.zeros((2 * count, 3)),
            np.arange(count + 1),
            events,
            np.ones(count, patches.MARK),
        ),
        patches.JoinArrays(*joins),
        {"patterns": [{"pattern": "attack", "candidates": 3}]},
    )
    return _bytes_of(lambda path: patches.write_patches(path, made))


_PINNED = """
[[pins]]
who = "Red"
at = 1.5
action = "jab"
number = 1

[[inputs]]
time = 1.0
what = "set"
who = "Red"
key = "weights.dmg"
value = 2.0
"""


@cache
def _scenes() -> list[str]:
    """Every scene that is shipped (all controllers, groups and things), and one with pins and characters."""
    boxing = shipped_text("boxing")
    dressed = boxing.replace(
        "[[cast]]", '[[cast]]\ncharacter = "body.glb"\nheight = 1.8\nhidden = ["*Hat*"]', 1
    )
    return [*(shipped_text(name) for name in shipped_scenes()), boxing + _PINNED, dressed]


FOUND = Analysis(
    (Segment(0, 60, Tags("transition", "stand")), Segment(60, 120, Tags("attack", "jab", "left"), 0.8))
)


@cache
def _sidecar() -> str:
    return _bytes_of(lambda path: write_sidecar(path, FOUND, 60.0, "take.bvh"), "take.toml").decode()


@cache
def _script() -> str:
    inputs = (Input(3, "target", {"place": [0.0, 1.5, 2.0]}), Input(9, "weight", {"who": 0, "value": 0.5}))
    return _bytes_of(lambda path: write_script(path, Script("target", 1, 60, inputs)), "inputs.json").decode()


@cache
def _truth() -> str:
    return perform("boxing", 3.0, seed=2)[0].truth.to_json()


# Damage


def _damaged_toml(texts: Callable[[], list[str]], rng: np.random.Generator) -> bytes:
    """Damaged bytes, or TOML in order with other values."""
    text = texts()[int(rng.integers(0, len(texts())))]
    if rng.integers(0, 2):
        return damaged(text.encode(), rng)
    try:
        return tomlkit.dumps(damaged_document(tomllib.loads(text), rng, _TOML_VALUES)).encode()
    except Exception:  # a value that TOML has no word for
        return damaged(text.encode(), rng)


def _damaged_json(text: Callable[[], str], rng: np.random.Generator) -> bytes:
    if rng.integers(0, 2):
        return damaged(text().encode(), rng)
    return json.dumps(damaged_document(json.loads(text()), rng)).encode()


_TOML_VALUES = (
    True,
    False,
    -1,
    0,
    1,
    3,
    2**31,
    -(2**70),
    1e308,
    -0.0,
    1e-300,
    "",
    "ö",
    "[/x]",
    "../x",
    [],
    {},
    [[]],
)


# Reading


def _refused(read: Callable[[], object]) -> bool:
    """Whether something is refused in words; any other error is one."""
    try:
        read()
    except RandoriError:
        return True
    return False


def _read_file(name: str, use: Callable[[Path], object], folder: Path, content: bytes) -> bool:
    path = folder / name
    path.write_bytes(content)
    return not _refused(lambda: use(path))


def _use_take(path: Path) -> None:
    is_take(path)
    take = Take.load(path)
    json.dumps(take.report(), allow_nan=False)
    list(story(take)), choices(take), judged(take)
    for decision in take.decisions:
        list(why(take, decision))
    take_buffer(take, "x")
    for role in take.roles:
        role.used_sources(), role.origins(0)


def _use_library(path: Path) -> None:
    library = library_file.read(path)
    assert np.isfinite(library.positions).all()
    library.counts(), library.seconds
    for action in range(len(library)):
        library.describe(action)
    with suppress(RandoriError):
        build_action_graph(library, 0.3).report()


def _use_patches(path: Path) -> None:
    found = patches.read_patches(path)
    for number in range(len(found)):
        found.patch(number)
    patches_report(found, path)


def _use_sidecar(path: Path) -> None:
    rows, _ = read_sidecar(path)
    with_edits(FOUND.segments, rows, 60.0, 300)
    write_sidecar(path, FOUND, 60.0)
    read_sidecar(path)


def _use_scene(path: Path) -> None:
    text = path.read_bytes().decode("utf-8", "replace")
    if len(text) <= wire.MOST_TEXT:
        document(Project(path.parent), wire.SceneText(text=text)).model_dump_json()
    Scene.load(path).model_dump_json()


def _use_pattern(path: Path) -> None:
    scene = parse_patterns(path.read_bytes().decode("utf-8", "replace"), "patterns")
    for pattern in scene.pattern:
        scene.ranges(pattern)


# Messages


class _Instant:
    """A worker that has done everything at once."""

    def begin(self) -> None: ...

    def stop(self) -> None: ...

    def end(self) -> None: ...

    def do(self, order: Order, follow: Callable[[float, str], None]) -> Answer:
        return Answer("done", None)


_SCENE = {"text": '[motions.a]\nperform = ["boxing"]\n[[cast]]\nname = "A"\n[[cast]]\nname = "B"\nteam = 1\n'}
_EDITS = [
    {"do": "set", "at": ["cast", 0, "depth"], "value": 4},
    {"do": "insert", "at": ["path", -1], "value": {"place": [1.0, 2.0]}},
    {"do": "delete", "at": ["cast", 1, "team"]},
    {"do": "move", "at": ["cast", 0], "value": 1},
]
MESSAGES: list[tuple[str, Any]] = [
    ("scenes/open", {"gallery": "boxing"}),
    ("scenes/check", _SCENE),
    ("scenes/edit", {**_SCENE, "edits": _EDITS}),
    ("scenes/pin", {**_SCENE, "take": "kept-fine", "decision": 0, "action": 1}),
    ("scenes/save", {**_SCENE, "file": "mine.toml", "overwrite": True}),
    ("simulate", {**_SCENE, "seconds": 2.0, "seed": 4}),
    ("takes/kept-fine/save", {"file": "again", "overwrite": True}),
    ("export", {"take": "kept-fine", "format": "glb", "name": "x", "require": ["all"], "commercial": True}),
    ("library/open", {"set": "boxing"}),
    ("library/open", {"motions": "a", "scene": _SCENE}),
    (
        "library/segments",
        {"file": "take.bvh", "segments": [{"start": 0.0, "kind": "attack", "technique": "jab"}]},
    ),
]
_LIVE = [
    {"type": "start", "session": "fight-boxing", "seed": 2, "scene": _SCENE},
    {"type": "input", "what": "weight", "values": {"who": "A", "value": 1.0}},
    {"type": "playhead", "tick": 4},
]
_ADDRESSES = (
    "takes/kept-fine/buffer",
    "takes/kept-fine/decisions/0",
    "takes/kept-fine/decisions/0/ghost?action=1",
    "files/exports/x.glb",
    "library/00000000000000000000",
    "library/00000000000000000000/actions/0/buffer",
    "gallery/boxing/picture",
    "scenes",
    "takes",
    "library",
    "jobs",
)


def _damaged_message(rng: np.random.Generator) -> bytes:
    """A line with an address, and a message after it."""
    if rng.integers(0, 4) == 0:
        address = _ADDRESSES[int(rng.integers(0, len(_ADDRESSES)))]
        return damaged(address.encode(), rng) + b"\n"
    path, message = MESSAGES[int(rng.integers(0, len(MESSAGES)))]
    body = json.dumps(message if rng.integers(0, 2) else damaged_document(message, rng)).encode()
    return path.encode() + b"\n" + (damaged(body, rng) if rng.integers(0, 2) else body)


@cache
def _server(folder: Path) -> Any:
    """A studio whose worker does nothing, with a take and a recording in its project."""
    for name in ("takes", "recordings"):
        (folder / name).mkdir(exist_ok=True)
    (folder / "takes" / "fine.npz").write_bytes(_take_file())
    (folder / "recordings" / "take.bvh").write_text("HIERARCHY")
    (folder / "recordings" / "take.bvh.actions.toml").write_text(_sidecar())
    studio = Studio(Project(folder), fill_gallery=False)
    studio.jobs.end()
    studio.jobs = Jobs(_Instant())
    return make_app(studio, TOKEN, PORT, None)


def _read_message(folder: Path, content: bytes) -> bool:
    """Send a message to the server: whether it is answered with 200, and never with 500."""
    path, _, body = content.partition(b"\n")
    address, _, query = path.partition(b"?")
    status = asyncio.run(_asked(_server(folder), address, query, body))
    assert status < 500, f"{path!r} was answered with {status}"
    return status == 200


async def _asked(app: Any, address: bytes, query: bytes, body: bytes) -> int:
    raw = b"/api/" + address
    scope = {
        "type": "http",
        "method": "POST" if body else "GET",
        "path": raw.decode("utf-8", "replace"),
        "raw_path": raw,
        "query_string": query,
        "headers": [
            (b"host", b"127.0.0.1"),
            (b"x-randori-token", TOKEN.encode()),
            (b"content-length", str(len(body)).encode()),
        ],
    }
    statuses = []

    said = iter([{"type": "http.request", "body": body, "more_body": False}])

    async def receive() -> dict[str, Any]:
        for message in said:
            return message
        await asyncio.Event().wait()  # the page stays: nothing more is said
        raise AssertionError

    async def send(message: dict[str, Any]) -> None:
        if message["type"] == "http.response.start":
            statuses.append(message["status"])

    await app(scope, receive, send)
    return statuses[0]


def _damaged_live(rng: np.random.Generator) -> bytes:
    message = _LIVE[int(rng.integers(0, len(_LIVE)))]
    body = json.dumps(damaged_document(message, rng)).encode()
    return damaged(body, rng) if rng.integers(0, 2) else body


def _read_live(folder: Path, content: bytes) -> bool:
    from pydantic import ValidationError

    try:
        _REQUEST.validate_json(content)
    except ValidationError:
        return False
    return True


def _damaged_edits(rng: np.random.Generator) -> bytes:
    return json.dumps(damaged_document({**_SCENE, "edits": _EDITS}, rng)).encode()


def _read_edits(folder: Path, content: bytes) -> bool:
    def edit() -> None:
        asked = understand(content, wire.EditScene)
        tomllib.loads(edited(asked.text, asked.edits))

    return not _refused(edit)


def _arrays(whole: Callable[[], bytes], use: Callable[[Path], object]) -> Kind:
    return Kind(lambda rng: damaged_arrays(whole(), rng), partial(_read_file, "file.npz", use))


KINDS: dict[str, Kind] = {
    "take": _arrays(_take_file, _use_take),
    "library": _arrays(_library_file, _use_library),
    "table": _arrays(_table_file, lambda path: policy.read(path, _library())),
    "controller": _arrays(
        _controller_file,
        lambda path: read_arrays(path, "a controller", controller_file._TYPES, controller_file._contents),
    ),
    "patches": _arrays(_patches_file, _use_patches),
    "scene": Kind(partial(_damaged_toml, _scenes), partial(_read_file, "scene.toml", _use_scene)),
    "pattern": Kind(
        partial(_damaged_toml, lambda: [pattern_text("two-fight"), pattern_text("mouse")]),
        partial(_read_file, "pattern.toml", _use_pattern),
    ),
    "sidecar": Kind(
        partial(_damaged_toml, lambda: [_sidecar()]), partial(_read_file, "x.actions.toml", _use_sidecar)
    ),
    "script": Kind(partial(_damaged_json, _script), partial(_read_file, "x.inputs.json", read_script)),
    "truth": Kind(partial(_damaged_json, _truth), partial(_read_file, "x.truth.json", truth_file.read)),
    "edits": Kind(_damaged_edits, _read_edits),
    "message": Kind(_damaged_message, _read_message),
    "live": Kind(_damaged_live, _read_live),
}
