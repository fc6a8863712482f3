"""Reading glTF 2.0 (`.glb`, `.gltf`), VRM and VRM animations: skeletons and what animations do with them.

Only numbers are read: no mesh, no picture, nothing from other places. The one file that a `.gltf` may name is
its buffer, in the same folder.
"""

import base64
import binascii
import json
import os
import struct
from collections.abc import Sequence
from pathlib import Path
from typing import Any, NamedTuple, NoReturn

import numpy as np

from randori.errors import FileError
from randori.formats.files import file_size, quote, read_start
from randori.formats.nodes import (
    MOST_FRAMES,
    MOST_POSES,
    Motion,
    NodeScene,
    sample_turns,
    sample_vectors,
    to_recordings,
)
from randori.formats.rates import FASTEST, usual_rate
from randori.formats.recording import GENERATOR, LARGEST_VALUE, Recording
from randori.motion import rotations as rot

LARGEST_TEXT = 64 * 1024**2  # bytes of JSON: a scene of a thousand animations has 20 MB
LARGEST_BUFFER = 1024**3  # bytes
MOST_NODES = 20_000
MOST_ANIMATIONS = 2_000
_NOT_IN_JSON = (OverflowError, RecursionError, ValueError)

_COMPONENTS: dict[int, np.dtype[Any]] = {
    5120: np.dtype("i1"), 5121: np.dtype("u1"), 5122: np.dtype("<i2"),
    5123: np.dtype("<u2"), 5125: np.dtype("<u4"), 5126: np.dtype("<f4"),
}  # fmt: skip
_WIDTHS = {"SCALAR": 1, "VEC2": 2, "VEC3": 3, "VEC4": 4, "MAT4": 16}
_USUAL_RATES = (24.0, 25.0, 30.0, 48.0, 50.0, 60.0, 100.0, 120.0, 240.0)
_SPARSE_KEYS_RATE = 60.0  # frames a second for keys that follow no rate
_DRIFT = 0.3  # of a frame, over a whole animation, that comes from rounding
_ON_FRAME = 0.02  # of a frame that a key may be off

# the bones of a VRM humanoid as body parts
_HUMANOID = {
    "hips": "pelvis", "spine": "spine", "chest": "chest", "upperChest": "chest", "neck": "neck",
    "head": "head",
} | {
    f"{side}{bone}": f"{side}_{part}"
    for side in ("left", "right")
    for bone, part in (
        ("Shoulder", "shoulder"), ("UpperArm", "upper_arm"), ("LowerArm", "forearm"), ("Hand", "hand"),
        ("UpperLeg", "thigh"), ("LowerLeg", "shin"), ("Foot", "foot"), ("Toes", "toes"),
    )
}  # fmt: skip


def read_recordings(path: str | os.PathLike[str]) -> list[Recording]:
    """All animations of all skeletons in a file."""
    return to_recordings(path, Reader(Path(path)).read())


class _Channel(NamedTuple):
    """Keys of one property of one node."""

    node: int
    kind: str  # translation, rotation or scale
    keys: np.ndarray  # (K,) seconds
    values: np.ndarray  # (K, 3) or (K, 4), (w, x, y, z) for rotations
    step: bool
    written: np.ndarray  # (K',) seconds, the keys of the file: splines are cut into more


class Reader:
    """One file: its JSON, which is checked where it is used, and its buffers."""

    def __init__(self, path: Path):
        self.path = path
        self.document, self.binary = self._open()
        self._buffers: dict[int, bytes] = {}
        self._checked: dict[str, list[dict[str, Any]]] = {}

    def fail(self, key: str, problem: str) -> NoReturn:
        raise FileError(self.path, f"{key}: {problem}")

    # ---- the file

    def _open(self) -> tuple[dict[str, Any], bytes]:
        """The JSON, and the binary chunk of a `.glb`."""
        size = file_size(self.path)
        if size > LARGEST_BUFFER + LARGEST_TEXT:
            raise FileError(self.path, f"is larger than {(LARGEST_BUFFER + LARGEST_TEXT) >> 20} MB")
        start = read_start(self.path, 20)
        if not start.startswith(b"glTF"):
            if size > LARGEST_TEXT:
                raise FileError(self.path, "expected a glTF file, which starts with glTF or is JSON")
            return self._parse(read_start(self.path, size)), b""
        if len(start) < 20:
            raise FileError(self.path, "the file ends within its first 20 bytes")
        version, length, json_length, kind = struct.unpack("<III4s", start[4:20])
        if version != 2:
            raise FileError(self.path, f"expected version 2 of glTF, found {version}")
        if kind != b"JSON":
            raise FileError(self.path, f"expected JSON as the first chunk, found {quote(kind)}")
        if json_length > LARGEST_TEXT or 20 + json_length > size:
            raise FileError(self.path, f"its JSON is said to have {json_length} bytes; the file has {size}")
        content = read_start(self.path, size)
        document = self._parse(content[20 : 20 + json_length])
        binary, place = b"", 20 + json_length
        while place + 8 <= min(size, length):
            chunk_length, chunk_kind = struct.unpack_from("<I4s", content, place)
            if chunk_kind == b"BIN\0":
                binary = content[place + 8 : place + 8 + chunk_length]
                break
            place += 8 + chunk_length + (-chunk_length % 4)
        return document, binary

    def _parse(self, text: bytes) -> dict[str, Any]:
        try:
            document = json.loads(text.decode("utf-8"))
        except _NOT_IN_JSON as error:
            raise FileError(self.path, f"expected JSON: {str(error)[:200]}") from None
        if not isinstance(document, dict) or not isinstance(document.get("asset"), dict):
            raise FileError(self.path, "expected a glTF document with an asset")
        version = document["asset"].get("version")
        if not (isinstance(version, str) and version.startswith("2.")):
            raise FileError(self.path, f"asset.version: expected 2.0, found {quote(str(version))}")
        return document

    def _rows(self, key: str, most: int) -> list[dict[str, Any]]:
        if key in self._checked:
            return self._checked[key]
        rows = self.document.get(key, [])
        if not isinstance(rows, list) or not all(isinstance(row, dict) for row in rows):
            self.fail(key, "expected a list of objects")
        if len(rows) > most:
            self.fail(key, f"expected at most {most}, found {len(rows)}")
        self._checked[key] = rows
        return rows

    def _index(self, holder: dict[str, Any], key: str, count: int, where: str) -> int:
        value = holder.get(key)
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value < count:
            self.fail(f"{where}.{key}", f"expected a number from 0 to {count - 1}, found {quote(str(value))}")
        return value

    def _whole(self, holder: dict[str, Any], key: str, where: str, otherwise: int = 0) -> int:
        value = holder.get(key, otherwise)
        if isinstance(value, bool) or not isinstance(value, int) or not 0 <= value <= LARGEST_BUFFER:
            self.fail(f"{where}.{key}", f"expected a whole number, found {quote(str(value))}")
        return value

    def _numbers(
        self, holder: dict[str, Any], key: str, otherwise: Sequence[float], where: str
    ) -> np.ndarray:
        value = holder.get(key, otherwise)
        count = len(otherwise)
        if (
            not isinstance(value, (list, tuple))
            or len(value) != count
            or not all(isinstance(one, (int, float)) and not isinstance(one, bool) for one in value)
            or not all(abs(one) <= LARGEST_VALUE for one in value)
        ):
            self.fail(f"{where}.{key}", f"expected {count} numbers")
        return np.array(value, dtype=float)

    # ---- numbers

    def _buffer(self, number: int) -> bytes:
        if number in self._buffers:
            return self._buffers[number]
        rows = self._rows("buffers", 1000)
        if not 0 <= number < len(rows):
            self.fail("bufferViews", f"there is no buffer {number}")
        uri, where = rows[number].get("uri"), f"buffers[{number}].uri"
        if uri is None:
            content = self.binary
        elif not isinstance(uri, str):
            self.fail(where, "expected text")
        elif uri.startswith("data:"):
            try:
                content = base64.b64decode(uri.partition(",")[2], validate=True)
            except (binascii.Error, ValueError):
                self.fail(where, "expected data in base64")
        else:
            if "/" in uri or "\\" in uri or ":" in uri or uri in ("", ".", "..") or "%" in uri:
                self.fail(where, f"expected a file in the same folder, found {quote(uri)}")
            beside = self.path.with_name(uri)
            if file_size(beside) > LARGEST_BUFFER:
                raise FileError(beside, f"is larger than {LARGEST_BUFFER >> 20} MB")
            content = read_start(beside, LARGEST_BUFFER)
        self._buffers[number] = content
        return content

    def _accessor(self, number: int, widths: Sequence[int], where: str) -> np.ndarray:
        """(N, width) the numbers of an accessor."""
        accessors = self._rows("accessors", 1_000_000)
        if not 0 <= number < len(accessors):
            self.fail(where, f"there is no accessor {number}")
        accessor, here = accessors[number], f"accessors[{number}]"
        kind, component = accessor.get("type"), accessor.get("componentType")
        width = _WIDTHS.get(kind, 0) if isinstance(kind, str) else 0
        if width not in widths:
            self.fail(
                f"{here}.type", f"expected {' or '.join(map(str, widths))} numbers, found {quote(str(kind))}"
            )
        if not isinstance(component, int) or component not in _COMPONENTS:
            self.fail(f"{here}.componentType", f"expected one of {', '.join(map(str, _COMPONENTS))}")
        if "sparse" in accessor or "bufferView" not in accessor:
            self.fail(here, "sparse accessors are not read; export the animation without compression")
        count = self._whole(accessor, "count", here)
        views = self._rows("bufferViews", 1_000_000)
        view = views[self._index(accessor, "bufferView", len(views), here)]
        if any(
            name in view.get("extensions", {})
            for name in ("EXT_meshopt_compression", "KHR_meshopt_compression")
        ):
            self.fail(here, "compressed buffers are not read; export without meshopt compression")
        where_view = f"bufferViews of {here}"
        content = self._buffer(self._index(view, "buffer", 1000, where_view))
        dtype = _COMPONENTS[component]
        stride = self._whole(view, "byteStride", where_view) or dtype.itemsize * width
        first = self._whole(view, "byteOffset", where_view) + self._whole(accessor, "byteOffset", here)
        end_of_view = self._whole(view, "byteOffset", where_view) + self._whole(
            view, "byteLength", where_view
        )
        last = first + stride * max(count - 1, 0) + dtype.itemsize * width
        if count == 0:
            self.fail(f"{here}.count", "expected at least one value")
        if last > len(content) or last > end_of_view or stride < dtype.itemsize * width:
            self.fail(here, f"its {count} values do not fit into its buffer of {len(content)} bytes")
        rows = np.lib.stride_tricks.as_strided(
            np.frombuffer(content, dtype=np.uint8, count=last - first, offset=first),
            shape=(count, dtype.itemsize * width),
            strides=(stride, 1),
        )
        with np.errstate(invalid="ignore"):  # a NaN of an odd kind is a NaN
            values = np.ascontiguousarray(rows).view(dtype).astype(float)
        if accessor.get("normalized") is True and dtype.kind in "iu":
            values = np.maximum(values / np.iinfo(dtype).max, -1.0)
        if not (np.abs(values) <= LARGEST_VALUE).all():
            self.fail(here, "expected finite numbers")
        return values

    # ---- the scene

    def read(self, with_motions: bool = True) -> NodeScene:
        """The tree of nodes, and its animations unless they are not asked for."""
        rows = self._rows("nodes", MOST_NODES)
        if not rows:
            raise FileError(self.path, "there are no nodes in it")
        order, parents = self._tree(rows)
        rest = self._rest([rows[node] for node in order], order)
        new = {node: place for place, node in enumerate(order)}
        bones = np.zeros(len(order), dtype=bool)
        for number, skin in enumerate(self._rows("skins", 10_000)):
            joints = skin.get("joints", [])
            if not isinstance(joints, list):
                self.fail(f"skins[{number}].joints", "expected a list")
            for joint in joints:
                bones[new[self._index({"joint": joint}, "joint", len(rows), f"skins[{number}]")]] = True
        parts = {part: new[node] for part, node in self._humanoid(len(rows)).items()}
        if not bones.any():
            bones[list(parts.values())] = True
        names = tuple(self._name(rows[node], f"node{node}") for node in order)
        animations = self._rows("animations", MOST_ANIMATIONS) if with_motions else []
        motions = [self._motion(number, row, new, rest) for number, row in enumerate(animations)]
        kept = [motion for motion in motions if motion is not None]
        own = self.document["asset"].get("generator") == GENERATOR
        return NodeScene(names, parents, bones, rest, kept, 1.0, "Y", parts, floor_known=own)

    def _name(self, row: dict[str, Any], otherwise: str) -> str:
        name = row.get("name")
        return name[:200] if isinstance(name, str) and name.strip() else otherwise

    def _tree(self, rows: list[dict[str, Any]]) -> tuple[list[int], np.ndarray]:
        """The nodes so that parents come first, and (N,) the parent of each in that order."""
        parent = [-1] * len(rows)
        for number, row in enumerate(rows):
            children = row.get("children", [])
            if not isinstance(children, list):
                self.fail(f"nodes[{number}].children", "expected a list")
            for child in children:
                node = self._index({"child": child}, "child", len(rows), f"nodes[{number}].children")
                if parent[node] >= 0 or node == number:
                    self.fail(f"nodes[{node}]", "expected one parent for each node")
                parent[node] = number
        below: list[list[int]] = [[] for _ in rows]
        for node, above in enumerate(parent):
            if above >= 0:
                below[above].append(node)
        order, waiting = [], [node for node, above in reversed(list(enumerate(parent))) if above < 0]
        while waiting:
            node = waiting.pop()
            order.append(node)
            waiting += reversed(below[node])
        if len(order) < len(rows):
            self.fail("nodes", "some nodes are above themselves")
        new = {node: place for place, node in enumerate(order)}
        parents = [new[parent[node]] if parent[node] >= 0 else -1 for node in order]
        return order, np.array(parents, dtype=np.int64)

    def _rest(self, rows: list[dict[str, Any]], order: list[int]) -> Motion:
        """The transforms of the nodes without an animation."""
        places, turns, scales = (
            np.zeros((1, len(rows), 3)),
            np.zeros((1, len(rows), 4)),
            np.ones((1, len(rows), 3)),
        )
        for place, (row, node) in enumerate(zip(rows, order)):
            where = f"nodes[{node}]"
            if "matrix" in row:
                matrix = self._numbers(row, "matrix", [0.0] * 16, where).reshape(4, 4).T
                scale = np.linalg.norm(matrix[:3, :3], axis=0)
                if np.linalg.det(matrix[:3, :3]) < 0.0:
                    scale[0] = -scale[0]
                pure = matrix[:3, :3] / np.where(np.abs(scale) > 1e-12, scale, 1.0)
                places[0, place], scales[0, place] = matrix[:3, 3], scale
                turns[0, place] = rot.normalize(rot.from_matrix(pure))
            else:
                places[0, place] = self._numbers(row, "translation", [0.0] * 3, where)
                scales[0, place] = self._numbers(row, "scale", [1.0] * 3, where)
                x, y, z, w = self._numbers(row, "rotation", [0.0, 0.0, 0.0, 1.0], where)
                turns[0, place] = self._turns(np.array([[w, x, y, z]]), where)
        return Motion("rest", 1.0, places, turns, scales, np.zeros(len(rows), dtype=bool))

    def _turns(self, values: np.ndarray, where: str) -> np.ndarray:
        length = np.linalg.norm(values, axis=-1)
        if not ((length > 0.1) & (length < 10.0)).all():
            self.fail(where, "expected rotations as unit quaternions")
        return values / length[..., None]

    def _humanoid(self, count: int) -> dict[str, int]:
        """Body parts that a VRM names."""
        extensions = self.document.get("extensions", {})
        if not isinstance(extensions, dict):
            return {}
        found: dict[str, int] = {}
        for name in ("VRM", "VRMC_vrm", "VRMC_vrm_animation"):
            extension = extensions.get(name, {})
            humanoid = extension.get("humanoid", {}) if isinstance(extension, dict) else {}
            bones = humanoid.get("humanBones", {}) if isinstance(humanoid, dict) else {}
            if isinstance(bones, list):  # VRM 0
                bones = {bone["bone"]: bone for bone in bones if isinstance(bone, dict) and "bone" in bone
                         and isinstance(bone["bone"], str)}  # fmt: skip
            for bone, row in bones.items() if isinstance(bones, dict) else ():
                if bone in _HUMANOID and isinstance(row, dict) and isinstance(row.get("node"), int):
                    # upperChest comes after chest and is where the arms hang
                    found[_HUMANOID[bone]] = self._index(row, "node", count, f"{name}.humanoid.{bone}")
        return found

    # ---- animations

    def _motion(self, number: int, row: dict[str, Any], new: dict[int, int], rest: Motion) -> Motion | None:
        channels = self._channels(number, row, new)
        if not channels:
            return None
        name = self._name(row, f"animation {number}")
        start = min(float(channel.keys[0]) for channel in channels)
        stop = max(float(channel.keys[-1]) for channel in channels)
        extras = row.get("extras")
        told = extras.get("fps") if isinstance(extras, dict) else None
        if isinstance(told, (int, float)) and not isinstance(told, bool) and 1.0 <= told <= FASTEST:
            fps = float(told)
        else:
            fps = find_rate([channel.written for channel in channels])
        frames = round((stop - start) * fps) + 1
        nodes = rest.places.shape[1]
        if frames > MOST_FRAMES or frames * nodes > MOST_POSES:
            self.fail(f"animations[{number}]", f"{frames} frames of {nodes} nodes are more than can be read")
        times = start + np.arange(frames) / fps
        if abs(stop - times[-1]) * fps < _DRIFT:
            times = np.linspace(start, stop, frames)  # a rate that is rounded drifts away from its keys
        places, turns, scales = (
            np.repeat(rows, frames, axis=0) for rows in (rest.places, rest.turns, rest.scales)
        )
        motion = Motion(name, fps, places, turns, scales, np.zeros(nodes, dtype=bool))
        for channel in channels:
            motion.moved[channel.node] = True
            if channel.kind == "rotation":
                motion.turns[:, channel.node] = sample_turns(
                    times, channel.keys, channel.values, channel.step
                )
            else:
                target = motion.places if channel.kind == "translation" else motion.scales
                target[:, channel.node] = sample_vectors(times, channel.keys, channel.values, channel.step)
        return motion

    def _channels(self, number: int, row: dict[str, Any], new: dict[int, int]) -> list[_Channel]:
        where = f"animations[{number}]"
        samplers, channels = row.get("samplers", []), row.get("channels", [])
        for key, rows in (("samplers", samplers), ("channels", channels)):
            if not isinstance(rows, list) or not all(isinstance(one, dict) for one in rows):
                self.fail(f"{where}.{key}", "expected a list of objects")
        found = []
        for index, channel in enumerate(channels):
            here = f"{where}.channels[{index}]"
            target = channel.get("target")
            if not isinstance(target, dict):
                self.fail(f"{here}.target", "expected an object")
            kind = target.get("path")
            if "node" not in target or kind not in ("translation", "rotation", "scale"):
                continue
            node = new[self._index(target, "node", len(new), f"{here}.target")]
            sampler = samplers[self._index(channel, "sampler", len(samplers), here)]
            found.append(self._keys(node, kind, sampler, here))
        return found

    def _keys(self, node: int, kind: str, sampler: dict[str, Any], where: str) -> _Channel:
        accessors = len(self._rows("accessors", 1_000_000))
        keys = self._accessor(self._index(sampler, "input", accessors, where), (1,), where)[:, 0]
        width = 4 if kind == "rotation" else 3
        values = self._accessor(self._index(sampler, "output", accessors, where), (width,), where)
        way = sampler.get("interpolation", "LINEAR")
        if (np.diff(keys) < 0.0).any():
            self.fail(where, "expected times that grow")
        written = keys
        if way == "CUBICSPLINE" and len(values) == 3 * len(keys):
            keys, values = _spline(keys, values)
        elif len(values) != len(keys):
            self.fail(where, f"expected a value for each of {len(keys)} times, found {len(values)}")
        if kind == "rotation":
            values = self._turns(values[:, [3, 0, 1, 2]], where)
        return _Channel(node, kind, keys, values, way == "STEP", written)


def _spline(keys: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Keys of cubic splines with their tangents (3 K, D), as many more keys with straight lines between."""
    tangent_in, points, tangent_out = values[0::3], values[1::3], values[2::3]
    pieces = 8
    times, results = [], []
    for piece in range(pieces):
        t = piece / pieces
        length = np.diff(keys)[:, None]
        results.append(
            (2 * t**3 - 3 * t**2 + 1) * points[:-1]
            + (t**3 - 2 * t**2 + t) * length * tangent_out[:-1]
            + (-2 * t**3 + 3 * t**2) * points[1:]
            + (t**3 - t**2) * length * tangent_in[1:]
        )
        times.append(keys[:-1] + t * np.diff(keys))
    order = np.stack(times, axis=1).reshape(-1), np.stack(results, axis=1).reshape(-1, points.shape[1])
    return np.append(order[0], keys[-1]), np.vstack([order[1], points[-1:]])


def find_rate(all_keys: Sequence[np.ndarray]) -> float:
    """Frames a second of keys (K,) in seconds: the lowest usual rate on whose frames they lie."""
    times = np.unique(np.concatenate(all_keys))
    steps = np.diff(times)
    steps = steps[steps > 1e-5]
    if len(steps) == 0:
        return _USUAL_RATES[2]
    even = usual_rate(float(np.median(steps)))
    if even is not None and even >= 20.0 and np.ptp(steps) < 0.1 * np.median(steps):
        span = float(times[-1] - times[0])
        # a usual rate that would lose or gain a frame over all of the keys is not theirs
        return even if abs(even * span - len(steps)) < 0.5 else len(steps) / span
    since = times - times[0]
    for rate in _USUAL_RATES:
        frames = since * rate
        if np.abs(frames - np.round(frames)).max() < _ON_FRAME:
            return rate
    return _SPARSE_KEYS_RATE
