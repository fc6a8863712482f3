"""BVH: a tree of joints with their channels, then a line of numbers for every frame."""

import os
from collections.abc import Iterator
from pathlib import Path

import numpy as np

from randori.errors import FileError
from randori.formats.bvh_header import Header, Joint, read_header
from randori.formats.files import quote, write_whole
from randori.formats.rates import FASTEST, SLOWEST, usual_rate
from randori.formats.recognise import to_clip
from randori.formats.recording import LARGEST_VALUE, Recording, Told
from randori.formats.tables import read_table
from randori.kernels import channels, numbers
from randori.motion import rotations as rot
from randori.motion.clip import Clip
from randori.motion.skeleton import Skeleton

_CENTIMETRES = 100.0  # a metre; written files are in centimetres, as most tools expect
_ORDER = "ZXY"  # of the rotations in written files


def read(path: str | os.PathLike[str], told: Told | None = None) -> Clip:
    """The motion of a BVH file, in metres and Y up. What is not told about it is recognised."""
    told = told or Told()
    header = read_header(path)
    fps = told.fps or usual_rate(header.frame_time)
    if fps is None:
        problem = (
            f"expected a frame time from {1 / FASTEST:g} to {1 / SLOWEST:g} seconds (0.0333333 for 30 frames "
            f"a second), found {header.frame_time:g}; if you know the rate, give it with fps="
        )
        raise FileError(path, problem, header.frame_time_line)
    return to_clip(path, _to_recording(path, header, fps, _read_frames(path, header)), told)


def _read_frames(path: str | os.PathLike[str], header: Header) -> np.ndarray:
    """(F, channels) the numbers of all frames."""
    columns = sum(len(joint.channels) for joint in header.joints)
    if columns == 0:
        raise FileError(path, "expected CHANNELS in the hierarchy; there are none", header.frames_line)
    if header.frames == 0:
        raise FileError(path, "expected at least one frame", header.frames_line)
    table, found = read_table(path, header.end, header.frames, columns)
    if found != header.frames:
        problem = f"expected {header.frames} frames as declared here, found {found} lines of numbers"
        raise FileError(path, problem, header.frames_line)
    return table


def _to_recording(path: str | os.PathLike[str], header: Header, fps: float, table: np.ndarray) -> Recording:
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

    # Step 4. Other joints with position channels: bones here have one length, the mean.
    stray = np.zeros(len(joints))
    unused = []
    carrier = _motion_carrier(joints, root_position, turned)
    for j in range(1, len(joints)):
        given = position_column[j] >= 0
        if not given.any():
            continue
        places = np.tile(offsets[j], (len(table), 1))
        places[:, given] = table[:, position_column[j, given]]
        if not places[:, given].any() and offsets[j].any():
            unused.append(joints[j].name)  # some programs write the channels and leave them empty
        elif j == carrier and np.ptp(places, axis=0).any():
            root_position += _rotate_by_all(turned[0], joints, j, places)
            offsets[j] = 0.0
        else:
            offsets[j] = places.mean(axis=0)
            stray[j] = np.linalg.norm(places - offsets[j], axis=1).max()
    note = f"position channels that are all 0 were left out: {', '.join(unused)}"

    skeleton = Skeleton(
        names=tuple(joint.name for joint in joints),
        parents=np.array([joint.parent for joint in joints], dtype=np.int64),
        offsets=offsets,
        tips=np.array([joint.tip for joint in joints]),
    )
    return Recording(Path(path).name, skeleton, fps, root_position, turned, stray, (note,) if unused else ())


def _motion_carrier(joints: list[Joint], root_position: np.ndarray, turned: np.ndarray) -> int:
    """The joint whose position channels are those of the whole body; 0, the root, in most files.

    Some rigs have nodes above the hips that never move (Bandai-Namco's joint_Root). Then the hips walk
    away from their parent, and the root has to go with them.
    """
    joint = 0
    while True:
        children = [child for child, other in enumerate(joints) if other.parent == joint]
        if (
            len(children) != 1
            or np.ptp(root_position, axis=0).any()
            or np.ptp(turned[:, joint], axis=0).any()
        ):
            return 0
        (joint,) = children
        if any(channel.endswith("position") for channel in joints[joint].channels):
            return joint


def _rotate_by_all(turned: np.ndarray, joints: list[Joint], joint: int, places: np.ndarray) -> np.ndarray:
    """Places (F, 3) on a joint's parent as directions in the world, for one pose (J, 4)."""
    while (joint := joints[joint].parent) >= 0:
        places = rot.rotate(turned[joint], places)
    return places


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
