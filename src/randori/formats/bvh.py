"""BVH: a tree of joints with their channels, then a line of numbers for every frame."""

import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from randori.errors import FileError
from randori.formats.bvh_header import Header, read_header
from randori.formats.files import line_number, quote, write_whole
from randori.formats.rates import FASTEST, SLOWEST, usual_rate
from randori.formats.recognise import to_clip
from randori.formats.recording import LARGEST_VALUE, ReadingOptions, Recording
from randori.formats.settling import settle
from randori.formats.tables import read_table
from randori.kernels import channels, numbers
from randori.motion import rotations as rot
from randori.motion.clip import Clip
from randori.motion.skeleton import Skeleton

_CENTIMETRES = 100.0  # a metre; written files are in centimetres, as most tools expect
_EMPTY_CHANNEL = 1e-3  # of a bone's length: position channels that are all smaller hold nothing
_ORDER = "ZXY"  # of the rotations in written files


def read(path: str | os.PathLike[str], given: ReadingOptions | None = None) -> Clip:
    """The motion of a BVH file, in metres and Y up. Properties that are not given are recognised."""
    given = given or ReadingOptions()
    header = read_header(path)
    fps = given.fps or usual_rate(header.frame_time)
    if fps is None:
        problem = (
            f"expected a frame time from {1 / FASTEST:g} to {1 / SLOWEST:g} seconds (0.0333333 for 30 frames "
            f"a second), found {header.frame_time:g}; if you know the rate, give it with fps="
        )
        raise FileError(path, problem, header.frame_time_line)
    table, notes = _read_frames(path, header)
    return to_clip(path, _to_recording(path, header, fps, table, notes), given)


def _read_frames(path: str | os.PathLike[str], header: Header) -> tuple[np.ndarray, tuple[str, ...]]:
    """(F, channels) the numbers of all frames, and what is wrong about their number."""
    columns = sum(len(joint.channels) for joint in header.joints)
    if columns == 0:
        raise FileError(path, "expected CHANNELS in the hierarchy; there are none", header.frames_line)
    if header.frames == 0:
        raise FileError(path, "expected at least one frame", header.frames_line)
    table = read_table(path, header.end, header.frames, columns)
    if table.found == 0:
        problem = f"expected {header.frames} frames as declared here, found 0 lines of numbers"
        raise FileError(path, problem, header.frames_line)
    if table.garbage >= 0:
        line = line_number(path, table.garbage)
        return table.rows, (f"line {line}, after the last declared frame, is no frame; the file ends there",)
    if table.found != header.frames:
        found = "1 frame was" if table.found == 1 else f"{table.found} frames were"
        table = read_table(path, header.end, table.found, columns)
        return table.rows, (f"the header declares {header.frames} frames; {found} found and read",)
    return table.rows, ()


def _to_recording(
    path: str | os.PathLike[str], header: Header, fps: float, table: np.ndarray, notes: tuple[str, ...]
) -> Recording:
    """Channels to places and rotations, in the file's unit and axes."""
    joints = header.joints
    offsets = np.array([joint.offset for joint in joints])
    # Step 1. Where each channel stands in a row. An axis of -1 is a rotation that is not there.
    rotation_column = np.zeros((len(joints), 3), dtype=np.int64)
    rotation_axis = np.full((len(joints), 3), -1, dtype=np.int64)
    position_column = np.full((len(joints), 3), -1, dtype=np.int64)
    column = 0
    for j, joint in enumerate(joints):
        rotations = 0
        for channel in joint.channels:
            axis = "XYZ".index(channel[0])
            if channel.endswith("rotation"):
                rotation_column[j, rotations], rotation_axis[j, rotations] = column, axis
                rotations += 1
            else:
                position_column[j, axis] = column
            column += 1

    # Step 2. Rotations.
    turned = np.empty((len(table), len(joints), 4))
    channels.turn(table, rotation_column, rotation_axis, turned)

    # Step 3. The root's place. Its channels are absolute: the OFFSET stands in only where they are missing.
    root_position = np.tile(offsets[0], (len(table), 1))
    given = position_column[0] >= 0
    root_position[:, given] = table[:, position_column[0, given]]

    # Step 4. Other joints with position channels.
    places: dict[int, np.ndarray] = {}
    unused = []
    for j in range(1, len(joints)):
        given = position_column[j] >= 0
        if not given.any():
            continue
        moved = np.tile(offsets[j], (len(table), 1))
        moved[:, given] = table[:, position_column[j, given]]
        if np.abs(moved[:, given]).max() <= _EMPTY_CHANNEL * np.linalg.norm(offsets[j]):
            unused.append(joints[j].name)  # some programs write the channels and leave them empty
        else:
            places[j] = moved
    if unused:
        names = ", ".join(unused[:4]) + (f" and {len(unused) - 4} more" if len(unused) > 4 else "")
        notes = (*notes, f"position channels that are all 0 were left out: {names}")

    skeleton = Skeleton(
        names=tuple(joint.name for joint in joints),
        parents=np.array([joint.parent for joint in joints], dtype=np.int64),
        offsets=offsets,
        tips=np.array([joint.tip for joint in joints]),
    )
    return settle(Path(path).name, skeleton, fps, root_position, turned, places, notes)


def write(path: str | os.PathLike[str], clip: Clip) -> None:
    """Write a clip in centimetres, Y up. Joints stand in the order of their nesting, depth first."""
    if len(clip) == 0:
        raise FileError(path, "not written: the clip has no frames")
    order = [joint for joint, _ in _nesting(clip.skeleton)]
    angles = np.unwrap(rot.to_euler(clip.rotations[:, order], _ORDER), axis=0)
    columns = [clip.root_position * _CENTIMETRES, np.degrees(angles).reshape(len(clip), -1)]
    table = np.concatenate(columns, axis=1)
    if not (np.abs(table) <= LARGEST_VALUE).all():
        raise FileError(path, "not written: a place or a rotation of the clip is not a finite number")
    header = _format_header(path, clip)
    frames = 1 + 65536 // table.shape[1]  # at a time, so that their text needs little memory
    text = np.empty(numbers.LONGEST_WRITTEN * frames * table.shape[1], dtype=np.uint8)
    with write_whole(path) as file:
        file.write(header.encode())
        for start in range(0, len(table), frames):
            length = numbers.format_rows(table[start : start + frames], text)
            file.write(text[:length].data)


def _nesting(skeleton: Skeleton) -> Iterator[tuple[int, int]]:
    """Each joint with its depth, depth first."""
    waiting = [(0, 0)]
    while waiting:
        joint, depth = waiting.pop()
        yield joint, depth
        waiting += [(child, depth + 1) for child in reversed(skeleton.children[joint])]


def _format_header(path: str | os.PathLike[str], clip: Clip) -> str:
    """Everything before the first frame."""
    skeleton = clip.skeleton
    for name in skeleton.names:
        if name != name.strip() or not name or set(name) & set("{}\r\n"):
            raise FileError(path, f"not written: a BVH file cannot hold a joint called {quote(name)}")
    if len(set(skeleton.names)) < len(skeleton):
        raise FileError(path, "not written: two joints have the same name")

    def offset(vector: np.ndarray) -> str:
        x, y, z = np.round(vector * _CENTIMETRES, 6) + 0.0  # + 0: no "-0.000000"
        return f"OFFSET {x:.6f} {y:.6f} {z:.6f}"

    rotations = " ".join(f"{axis}rotation" for axis in _ORDER)
    lines = ["HIERARCHY"]
    open_braces = 0
    for joint, depth in _nesting(skeleton):
        lines += ["\t" * level + "}" for level in range(open_braces - 1, depth - 1, -1)]
        open_braces = depth + 1
        tab = "\t" * depth
        lines += [f"{tab}{'JOINT' if depth else 'ROOT'} {skeleton.names[joint]}", f"{tab}{{"]
        lines += [f"{tab}\t{offset(skeleton.offsets[joint])}"]
        if depth == 0:
            lines += [f"{tab}\tCHANNELS 6 Xposition Yposition Zposition {rotations}"]
        else:
            lines += [f"{tab}\tCHANNELS 3 {rotations}"]
        if not skeleton.children[joint] or skeleton.tips[joint].any():
            lines += [
                f"{tab}\tEnd Site",
                f"{tab}\t{{",
                f"{tab}\t\t{offset(skeleton.tips[joint])}",
                f"{tab}\t}}",
            ]
    lines += ["\t" * level + "}" for level in range(open_braces - 1, -1, -1)]
    lines += ["MOTION", f"Frames: {len(clip)}", f"Frame Time: {1 / clip.fps:.12f}", ""]
    return "\n".join(lines)
