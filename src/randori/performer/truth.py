"""The ground truth of a performance, known because it was planned: the yardstick for its analysis."""

import json
from dataclasses import asdict, dataclass, field
from itertools import pairwise
from os import PathLike
from typing import Any

import numpy as np

from randori.errors import FileError
from randori.formats.files import write_whole
from randori.formats.texts import parse_json, read_text
from randori.motion import rotations as rot
from randori.motion.clip import Clip

LIES_STILL = 0.14  # m/s of every part of a body that lies
EARLY = 0.2  # seconds before the planned impact at which a fist may be at its fastest
LATE = 0.05  # seconds after the planned impact at which a strike may still be at its fastest


@dataclass(frozen=True)
class Plant:
    """A foot comes down somewhere and stays."""

    foot: str  # left or right
    lifted: float  # seconds
    down: float
    place: tuple[float, float, float]  # x, z metres of the ball, radians


@dataclass(frozen=True)
class Strike:
    """A fist, a foot or a blade that is thrown, measured on the solved body."""

    effector: str  # left_hand, right_foot, weapon, …
    onset: float  # seconds
    peak: float  # of its speed
    extension: float  # farthest from shoulder or hip
    speed: float  # metres per second at the peak


@dataclass
class Action:
    """A stretch of frames in which the actor does one thing."""

    start: int  # frame
    stop: int  # the frame after the last
    kind: str  # attack, defence, transition, …
    technique: str
    script: str  # the entry in scripts/ that was followed, "" for standing
    side: str = ""  # left, right, both
    position: str = ""  # head, upper torso, lower torso
    direction: str = ""  # front, back, horizontal, upwards, left, right
    effector: str = ""
    impact: float | None = None  # seconds, as planned
    strikes: list[Strike] = field(default_factory=list)
    plants: list[Plant] = field(default_factory=list)
    travel: tuple[float, float, float] = (0.0, 0.0, 0.0)  # metres forward, left, radians
    strength: str = ""  # of the hit that a reaction answers: light, medium, hard


@dataclass(frozen=True)
class Whereabouts:
    """A stretch of frames in which a thing is in one place or in a person's hands."""

    start: int  # frame
    stop: int  # the frame after the last
    state: str  # away, offered (by a person who is not in the take), floor, hands
    hands: str = ""  # left, right, both
    # x, y, z metres of its middle and w, x, y, z of its rotation: one for each frame in the hands, one
    # for all frames where it rests, none while it is away
    poses: list[tuple[float, ...]] = field(default_factory=list)


@dataclass(frozen=True)
class Thing:
    """Something that is handled: no part of the body, but part of what happens."""

    name: str
    size: tuple[float, float, float]  # metres: wide, high, deep as it is carried in front
    weight: float  # kilograms
    whereabouts: list[Whereabouts]  # every frame belongs to exactly one

    def pose(self, frame: int) -> tuple[float, ...] | None:
        """Its pose in a frame; None while it is away."""
        for stretch in self.whereabouts:
            if stretch.start <= frame < stretch.stop and stretch.poses:
                return stretch.poses[frame - stretch.start if len(stretch.poses) > 1 else 0]
        return None


@dataclass
class Truth:
    """The actions of a take: every frame belongs to exactly one of them."""

    set_name: str
    body: str
    seed: int
    script_version: int
    fps: float
    frames: int
    actions: list[Action]
    things: list[Thing] = field(default_factory=list)  # luggage
    # per foot the stretches of frames (start, stop) in which its ball stands on the floor
    contacts: dict[str, list[tuple[int, int]]] = field(default_factory=dict)

    def to_json(self) -> str:
        """Readable by people and programs; times in seconds, lengths in metres."""
        known = _rounded(asdict(self))
        things = known.pop("things")
        text = json.dumps(known, indent=1)
        if things:
            # a pose for every frame would be seven lines each: one line per thing
            rows = ",\n  ".join(json.dumps(thing) for thing in things)
            text = f'{text[:-2]},\n "things": [\n  {rows}\n ]\n}}'
        return text

    def counts(self) -> dict[str, int]:
        """The number of occurrences of each technique."""
        found: dict[str, int] = {}
        for action in self.actions:
            found[action.technique] = found.get(action.technique, 0) + 1
        return dict(sorted(found.items(), key=lambda item: -item[1]))

    def action_at(self, frame: int) -> Action:
        """The action that a frame belongs to."""
        starts = [action.start for action in self.actions]
        return self.actions[int(np.searchsorted(starts, frame, side="right")) - 1]


def write(path: str | PathLike[str], truth: Truth) -> None:
    """Write the ground truth as JSON, whole or not at all."""
    with write_whole(path) as file:
        file.write((truth.to_json() + "\n").encode())


def read(path: str | PathLike[str]) -> Truth:
    """The ground truth that was written beside a take."""
    try:
        known = parse_json(read_text(path), path)
        actions = [
            Action(
                **{
                    **row,
                    "strikes": [Strike(**strike) for strike in row["strikes"]],
                    "plants": [Plant(**plant) for plant in row["plants"]],
                }
            )
            for row in known.pop("actions")
        ]
        things = [
            Thing(**{**row, "whereabouts": [Whereabouts(**stretch) for stretch in row["whereabouts"]]})
            for row in known.pop("things", [])
        ]
        return Truth(**known, actions=actions, things=things)
    except (ValueError, KeyError, TypeError, AttributeError) as error:
        raise FileError(path, f"is not the ground truth of a take: {error}") from error


def _rounded(value: Any) -> Any:
    if isinstance(value, float):
        return round(value, 4)
    if isinstance(value, dict):
        return {key: _rounded(item) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [_rounded(item) for item in value]
    return value


def measure_travel(clip: Clip, heading: np.ndarray, actions: list[Action]) -> None:
    """Fill in how far each action takes the pelvis and turns the heading (F,), seen from its start."""
    for action in actions:
        last = min(action.stop, len(clip) - 1)
        x, _, z = clip.root_position[last] - clip.root_position[action.start]
        c, s = np.cos(heading[action.start]), np.sin(heading[action.start])
        turn = heading[last] - heading[action.start]
        action.travel = (float(s * x + c * z), float(c * x - s * z), float(turn))


def measure_lying(clip: Clip, actions: list[Action]) -> None:
    """A person lies from where a fall has come to rest; a plan may keep the body there for longer."""
    for fall, lie in pairwise(actions):
        if lie.technique != "lie":
            continue
        course = clip.positions[fall.start : lie.start + 1]
        if len(course) < 2:
            continue
        speed = np.linalg.norm(np.diff(course, axis=0), axis=-1).max(axis=-1) * clip.fps
        moving = np.flatnonzero(speed > LIES_STILL)
        fall.stop = lie.start = fall.start + (int(moving[-1]) + 1 if len(moving) else 1)


def measure_strikes(clip: Clip, actions: list[Action]) -> None:
    """Fill in when each planned strike really left, was fastest, and was farthest out."""
    for action in actions:
        if action.impact is None or action.kind != "attack":
            continue
        if action.effector == "weapon":
            action.strikes += _blade_strike(clip, action.start, action.impact)
            continue
        if not action.effector.endswith(("_hand", "_foot")):
            continue  # a tackle is made with the whole body
        side, limb = action.effector.split("_", 1)
        origin, end = ("upper_arm", "hand") if limb == "hand" else ("thigh", "foot")
        first = max(action.start - int(0.1 * clip.fps), 0)
        struck = int((action.impact + LATE) * clip.fps) + 2 - first
        last = min(first + struck + int(0.3 * clip.fps) + 1, len(clip))
        if struck < 5 or first + struck > len(clip):
            continue  # the take ends before it has struck
        place = clip.positions[first:last, clip.skeleton.joint(f"{side}_{end}")]
        root = clip.positions[first:last, clip.skeleton.joint(f"{side}_{origin}")]
        speed = np.linalg.norm(np.gradient(place, axis=0), axis=-1) * clip.fps
        # a fist may come back faster than it went, from this strike or from the one before it
        early = max(struck - int((EARLY + LATE) * clip.fps) - 2, 0) if limb == "hand" else 0
        peak = early + int(np.argmax(speed[early:struck]))
        slow = np.flatnonzero(speed[:peak] < max(0.5, 0.08 * speed[peak]))
        reach = np.linalg.norm(place - root, axis=-1)
        extension = peak + int(np.argmax(reach[peak : peak + int(0.3 * clip.fps) + 1]))
        onset = int(slow[-1]) if len(slow) else 0
        left, fastest, farthest = ((first + frame) / clip.fps for frame in (onset, peak, extension))
        action.strikes.append(Strike(action.effector, left, fastest, farthest, float(speed[peak])))


def _blade_strike(clip: Clip, start: int, impact: float) -> list[Strike]:
    """The strike of a weapon's point about a planned time (seconds); none if the take ends before it.

    A blade is never at rest before it strikes: it leaves where it is slowest between wind-up and cut.
    """
    middle = round(impact * clip.fps)
    early, late = round(0.16 * clip.fps), round(0.15 * clip.fps)
    if middle + late >= len(clip):
        return []
    frames, weapon = slice(start, middle + 2 * late), clip.skeleton.joint("weapon")
    blade = rot.rotate(clip.global_rotations[frames, weapon], clip.skeleton.tips[weapon])
    point = clip.positions[frames, weapon] + blade
    neck = clip.positions[frames, clip.skeleton.joint("neck")]
    speed = np.linalg.norm(np.gradient(point, axis=0), axis=-1) * clip.fps
    first = max(middle - early - start, 0)
    peak = first + int(np.argmax(speed[first : middle + late - start]))
    before = max(peak - round(0.35 * clip.fps), 0)
    onset = before + int(np.argmin(speed[before : peak + 1]))
    extension = peak + int(np.argmax(np.linalg.norm(point - neck, axis=-1)[peak : peak + late]))
    left, fastest, farthest = ((start + frame) / clip.fps for frame in (onset, peak, extension))
    return [Strike("weapon", left, fastest, farthest, float(speed[peak]))]
