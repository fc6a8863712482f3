"""Small motion files for tests, and where their joints are by other people's arithmetic."""

from dataclasses import dataclass

import numpy as np
from scipy.spatial.transform import Rotation

SMALL_BVH = """HIERARCHY
ROOT Hips
{
	OFFSET 1 2 3
	CHANNELS 6 Xposition Yposition Zposition Zrotation Xrotation Yrotation
	JOINT Spine
	{
		OFFSET 0 40 0
		CHANNELS 3 Zrotation Xrotation Yrotation
		End Site
		{
			OFFSET 0 60 0
		}
	}
}
MOTION
Frames: 3
Frame Time: 0.0333333
0 90 0 0 0 0 0 0 0
1 91 0 0 5 0 0 10 0
2 92 0 0 9 0 0 20 0
"""

SMALL_ASF = """# made for a test
:version 1.10
:name VICON
:units
  mass 1.0
  length 0.45
  angle deg
:documentation
   begin and end are only words here
:root
   order TX TY TZ RX RY RZ
   axis XYZ
   position 0 0 0
   orientation 0 0 0
:bonedata
  begin
     id 1
     name lowerback
     direction 0 1 0
     length 10
     axis 10 20 30 XYZ
     dof rx ry rz
     limits (-20.0 45.0)
            (-30.0 30.0)
            (-30.0 30.0)
  end
  begin
     id 2
     name head
     direction 0 0.6 0.8
     length 5
     axis 0 0 90 XYZ
     dof rx
     limits (-20.0 45.0)
  end
:hierarchy
  begin
    root lowerback
    lowerback head
  end
"""

SMALL_AMC = """#!OML:ASF made for a test
:FULLY-SPECIFIED
:DEGREES
1
root 0 15 0 0 0 0
lowerback 1 2 3
head 10
2
root 0 15 1 0 0 5
lowerback 2 3 4
head 20
"""


def replace_line(text: str, number: int, line: str) -> str:
    """The text with another line of that number (from 1)."""
    lines = text.split("\n")
    lines[number - 1] = line
    return "\n".join(lines)


@dataclass
class Body:
    """A random tree of joints with random channels, and random numbers for them."""

    names: list[str]
    parents: list[int]
    offsets: np.ndarray  # (J, 3) units of the file
    tips: dict[int, np.ndarray]  # units of the file
    channels: list[list[str]]
    table: np.ndarray  # (F, channels)

    def positions(self) -> np.ndarray:
        """(F, J, 3) units of the file, by scipy."""
        frames = len(self.table)
        places = np.zeros((frames, len(self.names), 3))
        turns: list[Rotation] = []
        column = 0
        for j, channels in enumerate(self.channels):
            offset = np.tile(self.offsets[j], (frames, 1))
            turn = Rotation.identity(frames)
            for channel in channels:
                if channel.endswith("position"):
                    offset[:, "XYZ".index(channel[0])] = self.table[:, column]
                else:
                    turn = turn * Rotation.from_euler(channel[0], self.table[:, [column]], degrees=True)
                column += 1
            parent = self.parents[j]
            if parent < 0:
                places[:, j] = offset
                turns.append(turn)
            else:
                places[:, j] = places[:, parent] + turns[parent].apply(offset)
                turns.append(turns[parent] * turn)
        return places


def random_body(seed: int, frames: int = 7, joints: int = 12) -> Body:
    """Joints in the order of a BVH file, with any number of channels in any order."""
    random = np.random.default_rng(seed)
    # depth first: a new joint hangs on the one before it or on one of that one's ancestors
    parents, path = [-1], [0]
    for joint in range(1, joints):
        path = path[: random.integers(1, len(path) + 1)]
        parents.append(path[-1])
        path.append(joint)
    channels = []
    for joint in range(joints):
        turning = random.permutation(["Xrotation", "Yrotation", "Zrotation"])[: random.integers(0, 4)]
        moving = random.permutation(["Xposition", "Yposition", "Zposition"]) if joint == 0 else []
        channels.append(random.permutation([*turning, *moving]).tolist())
    table = random.uniform(-180.0, 180.0, (frames, sum(map(len, channels))))
    return Body(
        names=[f"joint {n}: ö" if n % 3 else f"Joint{n}" for n in range(joints)],
        parents=parents,
        offsets=random.uniform(-30.0, 30.0, (joints, 3)),
        tips={joint: random.uniform(-9.0, 9.0, 3) for joint in range(joints) if joint not in parents},
        channels=channels,
        table=table,
    )


def bvh_text(body: Body, frame_time: float = 1 / 60, newline: str = "\n", tab: str = "\t") -> str:
    """A BVH file of a body, with more digits than most programs write."""
    lines = ["HIERARCHY"]
    open_joints: list[int] = []
    for joint, name in enumerate(body.names):
        while open_joints and open_joints[-1] != body.parents[joint]:
            lines.append(tab * len(open_joints[:-1]) + "}")
            open_joints.pop()
        indent = tab * len(open_joints)
        lines += [f"{indent}{'JOINT' if open_joints else 'ROOT'} {name}", f"{indent}{{"]
        lines.append(f"{indent}{tab}OFFSET {' '.join(map(repr, body.offsets[joint].tolist()))}")
        lines.append(f"{indent}{tab}CHANNELS {len(body.channels[joint])} {' '.join(body.channels[joint])}")
        if joint in body.tips:
            tip = " ".join(map(repr, body.tips[joint].tolist()))
            lines += [
                f"{indent}{tab}End Site",
                f"{indent}{tab}{{",
                f"{indent}{tab}{tab}OFFSET {tip}",
                f"{indent}{tab}}}",
            ]
        open_joints.append(joint)
    lines += [tab * level + "}" for level in range(len(open_joints) - 1, -1, -1)]
    lines += ["MOTION", f"Frames: {len(body.table)}", f"Frame Time: {frame_time!r}"]
    lines += [" ".join(map(repr, row)) for row in body.table.tolist()]
    return newline.join(lines) + newline
