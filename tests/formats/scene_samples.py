"""Small files of other formats for tests: glTF, FBX in text, C3D and TRC, of one body."""

import json
import re
import struct
import zlib
from collections.abc import Mapping, Sequence
from functools import lru_cache
from typing import Any

import numpy as np

from randori.motion import rotations as rot
from randori.motion.clip import Clip


class GltfBuilder:
    """A glTF document of a clip's joints, and its buffer."""

    def __init__(self, clip: Clip, names: Sequence[str] | None = None):
        self.clip, self.binary = clip, b""
        skeleton = clip.skeleton
        nodes: list[dict[str, Any]] = []
        for joint in range(len(skeleton)):
            node: dict[str, Any] = {"name": (names or skeleton.names)[joint]}
            node["translation"] = skeleton.offsets[joint].tolist()
            if skeleton.children[joint]:
                node["children"] = list(skeleton.children[joint])
            nodes.append(node)
        self.document: dict[str, Any] = {
            "asset": {"version": "2.0"},
            "nodes": nodes,
            "skins": [{"joints": list(range(len(skeleton)))}],
            "animations": [],
            "accessors": [],
            "bufferViews": [],
        }

    def accessor(self, values: np.ndarray, kind: str, **more: Any) -> int:
        components = {"f4": 5126, "i2": 5122, "u1": 5121}
        self.document["bufferViews"].append(
            {"buffer": 0, "byteOffset": len(self.binary), "byteLength": values.nbytes}
        )
        self.binary += values.tobytes() + b"\0" * (-values.nbytes % 4)
        row = {"bufferView": len(self.document["bufferViews"]) - 1, "count": len(values), "type": kind}
        row["componentType"] = components[values.dtype.str[1:]]
        self.document["accessors"].append(row | more)
        return len(self.document["accessors"]) - 1

    def animate(self, name: str, clip: Clip) -> None:
        """Add the motion of a clip on the same skeleton."""
        times = self.accessor(clip.times.astype("<f4"), "SCALAR")
        samplers, channels = [], []
        tracks = [(0, "translation", clip.root_position, "VEC3")]
        tracks += [
            (joint, "rotation", clip.rotations[:, joint][:, [1, 2, 3, 0]], "VEC4")
            for joint in range(len(clip.skeleton))
        ]
        for joint, path, values, kind in tracks:
            samplers.append({"input": times, "output": self.accessor(values.astype("<f4"), kind)})
            channels.append({"sampler": len(samplers) - 1, "target": {"node": joint, "path": path}})
        self.document["animations"].append({"name": name, "samplers": samplers, "channels": channels})

    def glb(self) -> bytes:
        return glb_bytes(self.document | {"buffers": [{"byteLength": len(self.binary)}]}, self.binary)


def glb_bytes(document: Mapping[str, Any], binary: bytes = b"") -> bytes:
    text = json.dumps(document).encode()
    text += b" " * (-len(text) % 4)
    body = (
        struct.pack("<I4s", len(text), b"JSON") + text + struct.pack("<I4s", len(binary), b"BIN\0") + binary
    )
    return struct.pack("<4sII", b"glTF", 2, 12 + len(body)) + body


_TICKS = 46186158000  # of FBX in a second


def fbx_text(clip: Clip, name: str = "Take 001") -> str:
    """A clip as an FBX file in text, in centimetres: joints, and curves of all their angles."""
    skeleton = clip.skeleton
    objects, connections = [], []
    stack, layer = 900_000, 900_001
    stop = round(clip.duration * _TICKS)
    objects += [
        f'AnimationStack: {stack}, "AnimStack::{name}", "" {{ Properties70: {{ '
        f'P: "LocalStop", "KTime", "Time", "",{stop} }} }}',
        f'AnimationLayer: {layer}, "AnimLayer::Base", "" {{ }}',
    ]
    connections.append(f'C: "OO",{layer},{stack}')
    angles = np.degrees(np.unwrap(rot.to_euler(clip.rotations, "ZYX"), axis=0))[..., ::-1]  # X, Y, Z
    times = ",".join(str(round(time * _TICKS)) for time in clip.times)
    for joint, joint_name in enumerate(skeleton.names):
        place = 100.0 * (skeleton.offsets[joint] if joint else clip.root_position[0])
        listed = ",".join(f"{value:.9g}" for value in place)
        objects.append(
            f'Model: {1000 + joint}, "Model::{joint_name}", "LimbNode" {{ Version: 232\n Properties70: {{ '
            f'P: "Lcl Translation", "Lcl Translation", "", "A",{listed} }} }}'
        )
        objects.append(
            f'NodeAttribute: {5000 + joint}, "NodeAttribute::", "LimbNode" {{ TypeFlags: "Skeleton" }}'
        )
        connections.append(f'C: "OO",{5000 + joint},{1000 + joint}')
        parent = 1000 + int(skeleton.parents[joint]) if joint else 0
        connections.append(f'C: "OO",{1000 + joint},{parent}')
        moved = [("Lcl Rotation", angles[:, joint])]
        if joint == 0:
            moved.append(("Lcl Translation", 100.0 * clip.root_position))
        for kind, (prop, values) in enumerate(moved):
            node = 20_000 + 10 * joint + kind
            objects.append(f'AnimationCurveNode: {node}, "AnimCurveNode::", "" {{ }}')
            connections += [f'C: "OO",{node},{layer}', f'C: "OP",{node},{1000 + joint}, "{prop}"']
            for axis, letter in enumerate("XYZ"):
                curve = 100_000 + 100 * joint + 10 * kind + axis
                numbers = ",".join(f"{value:.9g}" for value in values[:, axis])
                count = len(clip)
                objects.append(
                    f'AnimationCurve: {curve}, "AnimCurve::", "" {{ Default: 0\n KeyVer: 4008\n'
                    f" KeyTime: *{count} {{ a: {times} }}\n KeyValueFloat: *{count} {{ a: {numbers} }}\n"
                    f" KeyAttrFlags: *1 {{ a: 24836 }}\n KeyAttrDataFloat: *4 {{ a: 0,0,0,0 }}\n"
                    f" KeyAttrRefCount: *1 {{ a: {count} }} }}"
                )
                connections.append(f'C: "OP",{curve},{node}, "d|{letter}"')
    rate = f'P: "TimeMode", "enum", "", "",14\n P: "CustomFrameRate", "double", "Number", "",{clip.fps}'
    return _fbx_document(objects, connections, rate)


def _fbx_document(objects: Sequence[str], connections: Sequence[str], more: str = "") -> str:
    """An FBX file in text, in centimetres and with Y up."""
    settings = (
        'P: "UpAxis", "int", "Integer", "",1\n P: "UpAxisSign", "int", "Integer", "",1\n'
        'P: "FrontAxis", "int", "Integer", "",2\n P: "FrontAxisSign", "int", "Integer", "",1\n'
        'P: "CoordAxis", "int", "Integer", "",0\n P: "CoordAxisSign", "int", "Integer", "",1\n'
        f'P: "UnitScaleFactor", "double", "Number", "",1\n {more}'
    )
    return "\n".join(
        [
            "; FBX 7.4.0 project file",
            "FBXHeaderExtension: { FBXHeaderVersion: 1003\n FBXVersion: 7400 }",
            f"GlobalSettings: {{ Version: 1000\n Properties70: {{ {settings} }} }}",
            "Objects: {",
            *objects,
            "}",
            "Connections: {",
            *connections,
            "}",
            "",
        ]
    )


_TOKEN = re.compile(r'"([^"]*)"|([{}\n,])|\*(\d+)|([^\s{},"]+)')


def fbx_binary(text: str) -> bytes:
    """A text FBX file as a binary one of version 7.4; arrays of more than a few numbers are compressed."""
    head = b"Kaydara FBX Binary  \0\x1a\0" + struct.pack("<I", 7400)
    tokens = [token for line in text.splitlines() for token in _fbx_tokens(line)]
    rows, _ = _fbx_rows(tokens, 0)
    content = head
    for name, properties, below in rows:
        content += _fbx_node(name, properties, below, len(content))
    return content + bytes(13) + bytes(16)


@lru_cache(maxsize=10_000)  # damaged files share most of their lines
def _fbx_tokens(line: str) -> list[Any]:
    return list(_TOKEN.finditer(line.split(";")[0] + "\n"))


_FbxRow = tuple[str, list[Any], "list[_FbxRow]"]


def _fbx_rows(tokens: list[Any], place: int) -> tuple[list[_FbxRow], int]:
    """The nodes from a token on, up to the brace that closes them."""
    rows: list[_FbxRow] = []
    while place < len(tokens) and tokens[place][2] != "}":
        token = tokens[place]
        place += 1
        word = token[4]
        if word is None or not word.endswith(":"):
            if rows and (token[1] is not None or word is not None):
                rows[-1][1].append(token[1] if token[1] is not None else _fbx_number(word))
            elif rows and token[2] == "{":
                below, place = _fbx_rows(tokens, place)
                rows[-1][2].extend(below)
                place += 1
            continue
        rows.append((word[:-1], [], []))
    return rows, place


def _fbx_number(word: str) -> float | int | str:
    for kind in (int, float):
        try:
            return kind(word)
        except ValueError:
            pass
    return word


def _fbx_node(name: str, properties: list[Any], below: "list[_FbxRow]", start: int) -> bytes:
    """One node at a byte of the file."""
    if len(below) == 1 and below[0][0] == "a":  # an array of numbers
        packed, count = _fbx_array(name, tuple(below[0][1])), 1
        below = []
    else:
        packed, count = b"".join(map(_fbx_property, properties)), len(properties)
    label = name.encode()[:255]
    body = b""
    first = start + 13 + len(label) + len(packed)
    for row in below:
        body += _fbx_node(*row, first + len(body))
    body += bytes(13) if below else b""
    end = first + len(body)
    return struct.pack("<IIIB", end, count, len(packed), len(label)) + label + packed + body


def _fbx_property(value: Any) -> bytes:
    if isinstance(value, str):
        text = "\0\x01".join(reversed(value.split("::"))).encode()
        return b"S" + struct.pack("<I", len(text)) + text
    if isinstance(value, int) and abs(value) < 2**63:
        return b"L" + struct.pack("<q", value)
    return b"D" + struct.pack("<d", float(value))


@lru_cache(maxsize=10_000)
def _fbx_array(name: str, numbers: tuple[Any, ...]) -> bytes:
    letter, code = _FBX_ARRAYS.get(name, ("i", "<i4"))
    values = [number if isinstance(number, (int, float)) else 0 for number in numbers]
    with np.errstate(all="ignore"):
        raw = np.nan_to_num(np.array(values, dtype=float)).clip(-(2.0**30), 2.0**62).astype(code).tobytes()
    encoding, data = (1, zlib.compress(raw)) if len(values) > 2 else (0, raw)
    return letter.encode() + struct.pack("<III", len(values), encoding, len(data)) + data


_FBX_ARRAYS = {"KeyTime": ("l", "<i8"), "KeyValueFloat": ("f", "<f4")}
_FBX_ARRAYS |= dict.fromkeys(("Vertices", "Weights", "Transform", "TransformLink"), ("d", "<f8"))


def fbx_character_text(document: Mapping[str, Any], binary: bytes) -> str:
    """The skinned mesh of a glTF document (character_samples.py) as an FBX file in text, in centimetres."""
    arrays = []
    for accessor in document["accessors"]:
        view = document["bufferViews"][accessor["bufferView"]]
        kind = {5126: "<f4", 5121: "u1", 5123: "<u2"}[accessor["componentType"]]
        width = {"SCALAR": 1, "VEC3": 3, "VEC4": 4, "MAT4": 16}[accessor["type"]]
        first = view["byteOffset"]
        values = np.frombuffer(binary[first : first + view["byteLength"]], dtype=kind)
        arrays.append(values.reshape(-1, width).astype(float))
    vertices, joints, _, indices, inverse = arrays
    corners = indices.astype(int).reshape(-1, 3)
    corners[:, 2] = -corners[:, 2] - 1  # the last corner of a face
    objects = [
        'Geometry: 500, "Geometry::body", "Mesh" {'
        f"\n Vertices: {_fbx_numbers(100.0 * vertices)}\n PolygonVertexIndex: {_fbx_numbers(corners)} }}",
        'Model: 501, "Model::Body", "Mesh" { Version: 232 }',
        'Deformer: 502, "Deformer::", "Skin" { Version: 101 }',
        'Material: 503, "Material::clay", "" { Version: 102 }',
    ]
    connections = ['C: "OO",500,501', 'C: "OO",501,0', 'C: "OO",502,500', 'C: "OO",503,501']
    above = {child: row for row, node in enumerate(document["nodes"]) for child in node.get("children", ())}
    for number in document["skins"][0]["joints"]:
        node = document["nodes"][number]
        x, y, z, w = node["rotation"]
        angles = np.degrees(rot.to_euler(np.array([[w, x, y, z]]), "ZYX"))[0, ::-1]
        properties = (("Lcl Translation", 100.0 * np.array(node["translation"])), ("Lcl Rotation", angles))
        lines = "".join(
            f'\n P: "{name}", "{name}", "", "A",{",".join(f"{value:.9g}" for value in values)}'
            for name, values in properties
        )
        objects.append(
            f'Model: {1000 + number}, "Model::{node["name"]}", "LimbNode" {{ Version: 232\n'
            f" Properties70: {{ {lines} }} }}"
        )
        objects.append(
            f'NodeAttribute: {5000 + number}, "NodeAttribute::", "LimbNode" {{ TypeFlags: "Skeleton" }}'
        )
        bind = inverse[number].reshape(4, 4).copy()  # rows are columns of the matrix, as in FBX
        bind[3, :3] *= 100.0
        own = np.flatnonzero(joints[:, 0] == number)
        objects.append(
            f'Deformer: {7000 + number}, "SubDeformer::", "Cluster" {{ Version: 100\n'
            f" Indexes: {_fbx_numbers(own)}\n Weights: {_fbx_numbers(np.ones(len(own)))}\n"
            f" Transform: {_fbx_numbers(bind)}\n TransformLink: {_fbx_numbers(np.linalg.inv(bind))} }}"
        )
        connections += [
            f'C: "OO",{5000 + number},{1000 + number}',
            f'C: "OO",{1000 + number},{1000 + above[number] if number in above else 0}',
            f'C: "OO",{7000 + number},502',
            f'C: "OO",{1000 + number},{7000 + number}',
        ]
    return _fbx_document(objects, connections)


def _fbx_numbers(values: np.ndarray) -> str:
    flat = np.asarray(values).reshape(-1)
    return f"*{len(flat)} {{ a: {','.join(f'{value:.9g}' for value in flat)} }}"


_SIDE_MARKERS = {  # label → body part and place on it in metres, of the left side
    "ASI": ("pelvis", (0.12, 0.07, 0.10)),
    "PSI": ("pelvis", (0.05, 0.08, -0.10)),
    "KNE": ("shin", (0.05, 0.0, 0.0)),
    "ANK": ("foot", (0.035, 0.0, 0.0)),
    "HEE": ("foot", (0.0, -0.05, -0.05)),
    "TOE": ("toes", (0.0, 0.0, 0.0)),
    "SHO": ("upper_arm", (0.0, 0.045, 0.0)),
    "ELB": ("forearm", (0.0, 0.0, 0.0)),
    "WRA": ("hand", (0.0, 0.0, 0.03)),
    "WRB": ("hand", (0.0, 0.0, -0.03)),
    "FHD": ("head", (0.07, 0.1, 0.1)),
    "BHD": ("head", (0.07, 0.1, -0.08)),
}
_MIDDLE_MARKERS = {"C7": ("neck", (0.0, 0.0, -0.05)), "CLAV": ("neck", (0.0, -0.05, 0.07))}


def plug_in_gait(clip: Clip) -> tuple[list[str], np.ndarray]:
    """Labels and places (F, M, 3) in metres of markers that somebody glued to the body of a clip."""

    def on(part: str, place: Sequence[float]) -> np.ndarray:
        return clip.positions[:, clip.skeleton.joint(part)] + rot.rotate(clip.turned(part), np.array(place))

    found = {}
    for side, sign in (("left", 1.0), ("right", -1.0)):
        for label, (part, (x, y, z)) in _SIDE_MARKERS.items():
            own = part if part in ("pelvis", "head") else f"{side}_{part}"
            found[f"{side[0].upper()}{label}"] = on(own, (sign * x, y, z))
    for label, (part, place) in _MIDDLE_MARKERS.items():
        found[label] = on(part, place)
    return list(found), np.stack(list(found.values()), axis=1)


def c3d_bytes(
    labels: Sequence[str],
    places: np.ndarray,
    fps: float,
    processor: int = 84,
    scale: float = -1.0,
    unit: str = "mm",
) -> bytes:
    """A C3D file of markers (F, M, 3); NaN is a marker that was not seen."""
    order = ">" if processor == 86 else "<"

    def real(value: float) -> bytes:
        if processor == 85:  # VAX
            raw = struct.pack("<f", value * 4.0)
            return raw[2:] + raw[:2]
        return struct.pack(f"{order}f", value)

    def parameter(group: int, name: str, kind: int, sizes: Sequence[int], data: bytes) -> bytes:
        body = struct.pack("bB", kind, len(sizes)) + bytes(sizes) + data + b"\0"
        head = struct.pack("bb", len(name), group) + name.encode()
        return head + struct.pack(f"{order}H", 2 + len(body)) + body

    count = len(labels)
    width = max(map(len, labels))
    rows = struct.pack("bb", 5, -1) + b"POINT" + struct.pack(f"{order}H", 3) + b"\0"
    rows += parameter(1, "USED", 2, [], struct.pack(f"{order}h", count))
    rows += parameter(1, "SCALE", 4, [], real(scale))
    rows += parameter(1, "RATE", 4, [], real(fps))
    text = b"".join(label.encode().ljust(width) for label in labels)
    rows += parameter(1, "LABELS", -1, [width, count], text)
    rows += parameter(1, "UNITS", -1, [len(unit)], unit.encode())
    blocks = (4 + len(rows) + 511) // 512 + 1
    rows = bytes([0, 0, blocks, processor]) + rows
    rows = rows.ljust(blocks * 512, b"\0")
    header = bytes([2, 0x50]) + struct.pack(f"{order}HHHHH", count, 0, 1, len(places), 0) + real(scale)
    header += struct.pack(f"{order}HH", 2 + blocks, 0) + real(fps)
    seen = ~np.isnan(places).any(axis=-1)
    values = np.concatenate([np.nan_to_num(places), np.where(seen, 0.0, -1.0)[..., None]], axis=-1)
    if scale > 0.0:
        values[..., :3] /= scale
        data = np.round(values).astype(f"{order}i2").tobytes()
    elif processor == 85:
        raw = (values * 4.0).astype("<f4").view(np.uint8).reshape(-1, 2, 2)
        data = raw[:, ::-1].tobytes()
    else:
        data = values.astype(f"{order}f4").tobytes()
    return header.ljust(512, b"\0") + rows + data


def trc_text(labels: Sequence[str], places: np.ndarray, fps: float, unit: str = "mm") -> str:
    """A TRC file of markers (F, M, 3)."""
    lines = [
        "PathFileType\t4\t(X/Y/Z)\twalk.trc",
        "DataRate\tCameraRate\tNumFrames\tNumMarkers\tUnits",
        f"{fps:g}\t{fps:g}\t{len(places)}\t{len(labels)}\t{unit}",
        "Frame#\tTime\t" + "\t\t\t".join(labels),
        "\t\t" + "\t".join(f"{axis}{n + 1}" for n in range(len(labels)) for axis in "XYZ"),
    ]
    for frame, row in enumerate(places):
        cells = ["" if np.isnan(value) else f"{value:.5f}" for value in row.reshape(-1)]
        lines.append("\t".join([str(frame + 1), f"{frame / fps:.5f}", *cells]))
    return "\n".join(lines) + "\n"
