"""All that is known of a set of recordings, in one place: frames on one skeleton, and the actions in them.

Frames of all clips stand one after the other; actions are ranges of them. Numbers that loops need are in
records of arrays, words beside them.
"""

from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import NamedTuple

import numpy as np

from randori.capture.actions import Analysis, Problem, Segment, Strike, Tags
from randori.capture.problems import find_duplicates
from randori.errors import RandoriError
from randori.graph.smoothness import angular_acceleration
from randori.motion import rotations as rot
from randori.motion.clip import Clip, Source
from randori.motion.editing import mirror, resample
from randori.motion.feet import foot_contacts, foot_levels, foot_points
from randori.motion.parts import SIDES
from randori.motion.retargeting import retarget, same_bones
from randori.motion.skeleton import Skeleton
from randori.work import finish

FPS = 60.0  # frames per second of a library, unless the caller asks for another
_UNUSUAL_LEVEL = 0.04  # metres that floors of one capture room do not differ by
SHORTEST_ACTION = 0.1  # seconds: a shorter one is merged with its neighbour

# Body parts and props that can strike; kernels use their numbers.
EFFECTORS = (
    *(f"{side}_{part}" for side in SIDES for part in ("hand", "forearm", "foot", "shin")),
    "head",
    "weapon",
)


class FrameArrays(NamedTuple):
    """Every frame of every clip."""

    root_position: np.ndarray  # (F, 3) metres
    rotations: np.ndarray  # (F, J, 4) in the parents' frames
    contacts: np.ndarray  # (F, 2) bool, left and right foot stand
    clip: np.ndarray  # (F,) int64, which of the clips
    source_frame: np.ndarray  # (F,) int64, the nearest frame of the clip's file, from 0


class ActionArrays(NamedTuple):
    """The actions. Frame `stop` is the moment in which the next action of the same clip starts."""

    clip: np.ndarray  # (A,) int64
    start: np.ndarray  # (A,) int64, frame of the library
    stop: np.ndarray  # (A,) int64, the last frame: the same moment as the start of what follows
    displacement: np.ndarray  # (A, 3) x, z metres and yaw radians of the pelvis, as its start sees its end
    confidence: np.ndarray  # (A,) 0 to 1, of the tags
    edited: np.ndarray  # (A,) bool, a person said so
    strike_start: (
        np.ndarray
    )  # (A + 1,) int64, strikes k of action a: strike_start[a] ≤ k < strike_start[a + 1]


class StrikeArrays(NamedTuple):
    """The effective hits, action by action."""

    effector: np.ndarray  # (S,) int64, an index into EFFECTORS
    start: np.ndarray  # (S,) int64, frame of the library
    stop: np.ndarray  # (S,) int64, the frame after the last
    peak: np.ndarray  # (S,) int64
    extension: np.ndarray  # (S,) int64
    speed: np.ndarray  # (S,) metres per second at the peak


@dataclass(frozen=True)
class LibraryClip:
    """The origin of a stretch of frames."""

    name: str
    source: Source
    start: int  # frame of the library
    stop: int  # the frame after the last
    fps: float  # of the recording
    mirrored: bool = False
    turned: bool = False  # made of a stretch of another clip, see graph/turning.py
    problems: tuple[Problem, ...] = ()


@dataclass(frozen=True, eq=False)
class ActionLibrary:
    """Frames, actions, strikes, and the words for them."""

    skeleton: Skeleton
    fps: float
    frames: FrameArrays
    actions: ActionArrays
    strikes: StrikeArrays
    tags: tuple[Tags, ...]
    clips: tuple[LibraryClip, ...]

    def __len__(self) -> int:
        return len(self.tags)

    @property
    def durations(self) -> np.ndarray:
        """(A,) seconds."""
        return (self.actions.stop - self.actions.start) / self.fps

    @property
    def seconds(self) -> float:
        """Of all actions together."""
        return float(self.durations.sum())

    @cached_property
    def _world(self) -> tuple[np.ndarray, np.ndarray]:
        return self.skeleton.forward(self.frames.root_position, self.frames.rotations)

    @property
    def positions(self) -> np.ndarray:
        """(F, J, 3) metres, every joint as recorded."""
        return self._world[0]

    @property
    def global_rotations(self) -> np.ndarray:
        """(F, J, 4) every joint in the world as recorded."""
        return self._world[1]

    @cached_property
    def placements(self) -> np.ndarray:
        """(F, 3) where the root is, x and z in metres, and the yaw of the pelvis in radians."""
        pelvis = self.skeleton.joint("pelvis")
        turned = rot.multiply(self.global_rotations[:, pelvis], rot.inverse(self.skeleton.reference[pelvis]))
        return np.column_stack([self.frames.root_position[:, [0, 2]], rot.yaw(turned)])

    @cached_property
    def foot_heights(self) -> np.ndarray:
        """(F, 2, 2) metres, of ankle and ball of the left and the right foot."""
        return np.concatenate(
            [foot_points(self.clip(clip.start, clip.stop - 1))[..., 1] for clip in self.clips]
        )

    @cached_property
    def accelerations(self) -> np.ndarray:
        """(F, J) radians per second², of every joint as recorded; 0 at the ends of clips."""
        return np.concatenate(
            [
                angular_acceleration(self.frames.rotations[clip.start : clip.stop], self.fps)
                for clip in self.clips
            ]
        )

    @cached_property
    def usual_acceleration(self) -> float:
        """Radians per second² that 99.9 % of all joints and frames are below."""
        return float(np.percentile(self.accelerations, 99.9))

    def clip(self, first: int, last: int, name: str = "") -> Clip:
        """Frames of the library, both included, as a clip."""
        whole = self.clips[int(self.frames.clip[first])]
        if not whole.start <= first <= last < whole.stop:
            raise RandoriError(f"frames {first} to {last} do not lie within one clip of the library")
        return Clip(
            name or whole.name,
            self.skeleton,
            self.fps,
            self.frames.root_position[first : last + 1],
            self.frames.rotations[first : last + 1],
            whole.source,
        )

    def action_clip(self, action: int) -> Clip:
        """One action, where it was recorded."""
        first, last = int(self.actions.start[action]), int(self.actions.stop[action])
        return self.clip(first, last, self.describe(action))

    def describe(self, action: int) -> str:
        """An action in words: "left jab"."""
        return self.tags[action].name

    def named(self, word: str) -> np.ndarray:
        """(N,) int64, the actions that a word names: "left jab", "jab" or "attack"."""
        fits = [
            action
            for action, tags in enumerate(self.tags)
            if word in (self.describe(action), tags.technique, tags.kind)
        ]
        return np.array(fits, dtype=np.int64)

    def counts(self) -> dict[str, int]:
        """The number of actions of each technique and side, the most frequent first."""
        found: dict[str, int] = {}
        for action in range(len(self)):
            word = self.describe(action)
            found[word] = found.get(word, 0) + 1
        return dict(sorted(found.items(), key=lambda item: (-item[1], item[0])))


def build_library(
    recordings: Sequence[tuple[Clip, Analysis]],
    fps: float = FPS,
    skeleton: Skeleton | None = None,
    mirrored: bool = False,
) -> ActionLibrary:
    """A library of clips and what was found in them; see `building_library`."""
    return finish(building_library(recordings, fps, skeleton, mirrored))


def building_library(
    recordings: Sequence[tuple[Clip, Analysis]],
    fps: float = FPS,
    skeleton: Skeleton | None = None,
    mirrored: bool = False,  # doubles the library: every clip again, as a mirror shows it
) -> Generator[float, None, ActionLibrary]:
    """Bring clips onto one skeleton and one rate; yields the share that is done and returns the library.

    Without a skeleton it is the one that most seconds were recorded on.
    """
    if not recordings:
        raise RandoriError("a library needs at least one recording")
    if skeleton is None:
        skeleton = _most_used_skeleton([clip for clip, _ in recordings])
    levels = _standing_levels([clip for clip, _ in recordings])
    copies = dict(find_duplicates([clip for clip, _ in recordings]))
    parts: list[_Part] = []
    for number, (clip, analysis) in enumerate(recordings):
        yield number / len(recordings)
        _check(clip, analysis)
        problems = (*analysis.problems, *([copies[number]] if number in copies else []))
        segments = _merge_short(analysis.segments, clip.fps)
        moved = resample(retarget(clip, skeleton, levels[number]), fps)
        part = _Part(clip, moved, segments, False, problems)
        parts.append(part)
        if mirrored:
            parts.append(part.mirrored_copy())
    return _concatenate(parts, skeleton, fps)


def _most_used_skeleton(clips: Sequence[Clip]) -> Skeleton:
    """The skeleton that most seconds were recorded on; of equals the first."""
    actors = _actors(clips)
    seconds = np.bincount(actors, [clip.duration for clip in clips])
    return clips[actors.index(int(np.argmax(seconds)))].skeleton


def _actors(clips: Sequence[Clip]) -> list[int]:
    """For each clip the number of its actor: clips with the same bones are of one."""
    known: list[Skeleton] = []
    actors = []
    for clip in clips:
        same = [number for number, bones in enumerate(known) if same_bones(bones, clip.skeleton)]
        if not same:
            known.append(clip.skeleton)
        actors.append(same[0] if same else len(known) - 1)
    return actors


def _standing_levels(clips: Sequence[Clip]) -> list[float]:
    """Metres, for each clip: how high the balls of standing feet are.

    Floors of capture rooms lie a little high or low, so the feet of a clip tell. But where they say
    something else than in the actor's other clips, the person does not stand in it but crawls or lies.
    """
    actors = _actors(clips)
    found = np.array([foot_levels(clip).ball for clip in clips])
    usual = {actor: float(np.median(found[np.array(actors) == actor])) for actor in set(actors)}
    return [
        float(level) if abs(level - usual[actor]) < _UNUSUAL_LEVEL else usual[actor]
        for actor, level in zip(actors, found)
    ]


def _check(clip: Clip, analysis: Analysis) -> None:
    """Segments must lie in their clip, one after the other."""
    last = 0
    for segment in analysis.segments:
        if not last <= segment.start < segment.stop <= len(clip):
            raise RandoriError(
                f"{clip.name}: the segment from frame {segment.start} to {segment.stop} overlaps another "
                f"one, or is not within its {len(clip)} frames"
            )
        last = segment.stop


def _merge_short(segments: Sequence[Segment], fps: float) -> list[Segment]:
    """The segments without those that are too short to be played: their frames go to a neighbour."""
    merged: list[Segment] = []
    for segment in segments:
        short = segment.stop - segment.start < SHORTEST_ACTION * fps
        before = merged[-1] if merged and merged[-1].stop == segment.start else None
        if short and before is not None:
            merged[-1] = replace(before, stop=segment.stop, strikes=before.strikes + segment.strikes)
        else:
            merged.append(segment)
    return merged


@dataclass(frozen=True)
class _Part:
    """A clip on the library's skeleton and rate, with what was found in the recording."""

    recorded: Clip
    clip: Clip
    segments: Sequence[Segment]  # in frames of the recording
    mirrored: bool
    problems: tuple[Problem, ...]

    def mirrored_copy(self) -> "_Part":
        segments = [mirror_segment(segment) for segment in self.segments]
        return replace(self, clip=mirror(self.clip), segments=segments, mirrored=True)

    def frame(self, recorded: float) -> int:
        """The frame of `clip` that is nearest to a frame of the recording."""
        return min(max(round(recorded * self.clip.fps / self.recorded.fps), 0), len(self.clip) - 1)


def mirror_segment(segment: Segment) -> Segment:
    """A segment as in a mirror: left is right, in all words."""
    tags = segment.tags
    return replace(
        segment,
        tags=Tags(
            *(
                _mirror_words(word)
                for word in (tags.kind, tags.technique, tags.side, tags.position, tags.direction)
            )
        ),
        strikes=tuple(replace(strike, effector=_mirror_words(strike.effector)) for strike in segment.strikes),
    )


def _mirror_words(text: str) -> str:
    return text.replace("left", "\0").replace("right", "left").replace("\0", "right")


def _concatenate(parts: Sequence[_Part], skeleton: Skeleton, fps: float) -> ActionLibrary:
    """One library from all parts."""
    clips, tags = [], []
    actions: list[tuple[int, int, int, float, bool]] = []
    strikes: list[tuple[int, int, int, int, int, float]] = []
    strike_start, first = [0], 0
    for number, part in enumerate(parts):
        clip = part.clip
        clips.append(
            LibraryClip(
                part.recorded.name,
                part.recorded.source,
                first,
                first + len(clip),
                part.recorded.fps,
                part.mirrored,
                problems=part.problems,
            )
        )
        for segment in part.segments:
            start, stop = part.frame(segment.start), part.frame(segment.stop)
            if stop <= start:
                continue
            actions.append((number, first + start, first + stop, segment.confidence, segment.edited))
            tags.append(segment.tags)
            strikes += [_strike_row(strike, part, first) for strike in segment.strikes]
            strike_start.append(len(strikes))
        first += len(clip)
    frames = FrameArrays(
        np.concatenate([part.clip.root_position for part in parts]),
        np.concatenate([part.clip.rotations for part in parts]),
        np.concatenate([foot_contacts(part.clip) for part in parts]),
        np.repeat(np.arange(len(parts)), [len(part.clip) for part in parts]),
        np.concatenate([_source_frames(part) for part in parts]),
    )
    action_start, action_stop = (np.array([row[k] for row in actions], dtype=np.int64) for k in (1, 2))
    return ActionLibrary(
        skeleton,
        fps,
        frames,
        ActionArrays(
            np.array([row[0] for row in actions], dtype=np.int64),
            action_start,
            action_stop,
            displacements(skeleton, frames, action_start, action_stop),
            np.array([row[3] for row in actions], dtype=float),
            np.array([row[4] for row in actions], dtype=bool),
            np.array(strike_start, dtype=np.int64),
        ),
        StrikeArrays._make(
            np.array([row[k] for row in strikes], dtype=float if k == 5 else np.int64) for k in range(6)
        ),
        tuple(tags),
        tuple(clips),
    )


def displacements(skeleton: Skeleton, frames: FrameArrays, start: np.ndarray, stop: np.ndarray) -> np.ndarray:
    """(A, 3) place and yaw of the pelvis in frames `stop` (A,), as it sees them in frames `start` (A,)."""
    pelvis = skeleton.joint("pelvis")
    places, yaws = [], []
    for ends in (start, stop):
        root = frames.root_position[ends]
        _, turned = skeleton.forward(root, frames.rotations[ends])
        places.append(root)
        yaws.append(rot.yaw(rot.multiply(turned[:, pelvis], rot.inverse(skeleton.reference[pelvis]))))
    move = rot.rotate(rot.from_yaw(-yaws[0]), places[1] - places[0])
    return np.column_stack([move[:, 0], move[:, 2], rot.wrap_angle(yaws[1] - yaws[0])])


def _strike_row(strike: Strike, part: _Part, first: int) -> tuple[int, int, int, int, int, float]:
    """A strike in frames of the library."""
    if strike.effector not in EFFECTORS:
        raise RandoriError(
            f"{part.recorded.name}: nothing strikes with {strike.effector!r}; {', '.join(EFFECTORS)}"
        )
    start, peak, extension = (
        first + part.frame(frame) for frame in (strike.start, strike.peak, strike.extension)
    )
    stop = max(first + part.frame(strike.stop), start + 1)
    return EFFECTORS.index(strike.effector), start, stop, peak, extension, strike.speed


def _source_frames(part: _Part) -> np.ndarray:
    """(F,) int64 the nearest frames of the file, an inserted T-pose counted."""
    nearest = np.rint(np.arange(len(part.clip)) * (part.recorded.fps / part.clip.fps)).astype(np.int64)
    return np.minimum(nearest, len(part.recorded) - 1) + part.recorded.source.dropped_frames
