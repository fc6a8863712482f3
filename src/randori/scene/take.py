"""A take: the poses of a timeline, its events, its quality, and the source of every frame.

It is complete: you need neither the scene nor the libraries behind it to look at it.
"""

from collections.abc import Generator, Sequence
from dataclasses import dataclass, replace
from os import PathLike
from pathlib import Path
from typing import NamedTuple

import numpy as np

from randori.body.builds import wear
from randori.body.palette import palette
from randori.capture.actions import Tags
from randori.characters.character import Character, Costume
from randori.errors import FileError, RandoriError
from randori.formats.glb import Motion
from randori.graph.joining import Walk
from randori.graph.library import LibraryClip
from randori.motion.clip import Clip
from randori.motion.editing import crop
from randori.physics.refine import Refined, refining
from randori.render.camera import ELEVATION, Focus
from randori.render.pictures import save_png
from randori.render.sheet import contact_sheet
from randori.render.stage import Prop
from randori.render.video import write_video
from randori.scene import export
from randori.timeline.bake import bake_timeline
from randori.timeline.quality import Quality, measure
from randori.timeline.timeline import Decision, Event, Placed, Timeline, Track, shown
from randori.work import finish

ENDINGS = (".npz", ".glb", ".bvh", ".usd", ".usda", ".usdc", ".mp4", ".png")
REACH = 2.0  # metres around a character that pictures are about
_MOMENTS, _COLUMNS = 24, 6  # of a contact sheet
_CELL = (320, 260)  # pixels: two people side by side fill a wide cell


class View(NamedTuple):
    """From where films and sheets show a take."""

    azimuth: float = 0.0  # radians from the side that shows the characters best
    elevation: float = ELEVATION  # radians above the floor
    follow: bool = True  # the middle of the characters, in a film
    focus: Focus | None = None  # its subject, if not all characters


_FRONT = View()


class Handover(NamedTuple):
    """Options for writing GLB, USD and BVH."""

    each: bool = False  # a file for each character instead of one for all
    clips: bool = False  # an animation per action instead of one for all
    root_motion: bool = False  # a bone on the ground carries the way over the floor
    axes: str | None = None  # the engine whose axes and unit USD has: unreal or unity


_WHOLE_HANDOVER = Handover()


class Origin(NamedTuple):
    """The origin of a frame."""

    source: LibraryClip
    frame: int  # of the recording, from 0


@dataclass(frozen=True, eq=False)
class Role:
    """One character of a take."""

    name: str
    outfit: int  # of body.palette
    clip: Clip
    placed: tuple[Placed, ...]  # actions and frames are those of the library that it was made of
    tags: tuple[Tags, ...]  # of that library's actions
    sources: tuple[LibraryClip, ...]  # the recordings of that library
    # (F, 4) int64: recording and frame that each frame shows, and those that are blended in, or -1
    provenance: np.ndarray
    joins: np.ndarray  # (K,) int64, frames in which pieces meet
    simulated: np.ndarray  # (F,) bool, frames that physics has changed: pushed, or struck
    costume: Costume | None = None  # your own character that it is dressed as

    @classmethod
    def of(cls, track: Track, walk: Walk, ticks: int, simulated: np.ndarray) -> "Role":
        """A track and the clip that it became."""
        frames = track.library.frames
        blended = walk.blended >= 0
        provenance = np.column_stack(
            [
                frames.clip[walk.frame],
                frames.source_frame[walk.frame],
                np.where(blended, frames.clip[walk.blended], -1),
                np.where(blended, frames.source_frame[walk.blended], -1),
            ]
        )
        placed = tuple(shown(track.placed, ticks))
        library = track.library
        return cls(
            track.name,
            track.outfit,
            walk.clip,
            placed,
            library.tags,
            library.clips,
            provenance,
            walk.joins,
            simulated,
        )

    def describe(self, action: int) -> str:
        """An action in words."""
        return self.tags[action].name if action >= 0 else "between actions"

    def origins(self, frame: int) -> list[Origin]:
        """The recordings that a frame comes from: one, or two inside a join."""
        first, first_frame, second, second_frame = self.provenance[frame].tolist()
        origins = [Origin(self.sources[first], first_frame)]
        if second >= 0:
            origins.append(Origin(self.sources[second], second_frame))
        return origins

    def used_sources(self) -> list[LibraryClip]:
        """The recordings of which at least one frame is seen."""
        used = np.unique(self.provenance[:, [0, 2]])
        return [self.sources[number] for number in used.tolist() if number >= 0]


@dataclass(frozen=True, eq=False)
class Take:
    """All characters, and the events between them."""

    title: str
    fps: float
    ticks: int  # the last frame
    roles: tuple[Role, ...]
    events: tuple[Event, ...]
    decisions: tuple[Decision, ...]
    provenance: dict[str, object]  # scene, seed and version that the take was made from
    measured: Quality
    props: tuple[Prop, ...] = ()  # things that are seen in films and sheets
    view: View = _FRONT

    @property
    def seconds(self) -> float:
        return self.ticks / self.fps

    @property
    def clips(self) -> list[Clip]:
        """One per character, all equally long."""
        return [role.clip for role in self.roles]

    @property
    def bodies(self) -> list[Character | None]:
        """The characters from files that they are dressed as."""
        return [None if role.costume is None else role.costume.character for role in self.roles]

    def watching(self, name: str, reach: float = REACH) -> "Take":
        """The same, seen close to one of its characters."""
        names = [role.name for role in self.roles]
        if name not in names:
            raise RandoriError(f"there is no {name!r} in the take; there are {', '.join(names)}")
        way = self.roles[names.index(name)].clip.root_position[:, [0, 2]]
        return replace(self, view=self.view._replace(focus=Focus.on(way, np.full(len(way), reach), self.fps)))

    def overview(self) -> "Take":
        """The same take, with all characters in view."""
        return replace(self, view=self.view._replace(focus=None))

    def quality(self) -> Quality:
        """The quality of the take: `print` it, or ask for `as_dict()`."""
        return self.measured

    def credits(self) -> list[dict[str, str]]:
        """Every recording that is seen, with its licence and its credit."""
        rows = {}
        for role in self.roles:
            for source in role.used_sources():
                row = {
                    "recording": source.name,
                    "file": source.source.file,
                    "licence": source.source.licence,
                    "credit": source.source.credit,
                }
                rows[tuple(row.values())] = row
        return list(rows.values())

    def report(self) -> dict[str, object]:
        """The report beside every export: the take's title, quality and sources."""
        return {
            "title": self.title,
            "seconds": round(self.seconds, 3),
            "characters": [role.name for role in self.roles],
            **self.provenance,
            "quality": self.measured.as_dict(),
            "sources": self.credits(),
        }

    @classmethod
    def load(cls, path: str | PathLike[str]) -> "Take":
        """A take that was saved as .npz."""
        from randori.scene.take_file import read

        return read(path)

    def save(self, path: str | PathLike[str]) -> list[Path]:
        """Write it in the format that the ending names; see `saving`."""
        return finish(self.saving(path))

    def saving(
        self,
        path: str | PathLike[str],
        props: Sequence[Prop] | None = None,
        size: tuple[int, int] = (1280, 720),
        view: View | None = None,
        handover: Handover = _WHOLE_HANDOVER,
    ) -> Generator[float, None, list[Path]]:
        """Write a take file (.npz), GLB, USD, BVH (one per character), MP4 or a sheet (.png).

        Yields the share that is done.

        Quality and sources go into the file, or beside it as JSON if the format cannot hold them. Films
        (their size is in pixels) and sheets show its own things from its own view, unless others are given.
        """
        from randori.scene.provenance import whole_report
        from randori.scene.take_file import write

        path = Path(path)
        outfits = [palette(role.outfit) for role in self.roles]
        props, view = self.props if props is None else props, view or self.view
        yield 0.0
        match path.suffix.lower():
            case ".npz":
                write(path, self)
            case ".glb" | ".bvh" | ".usd" | ".usda" | ".usdc":
                return self._hand_over(path, handover, whole_report(self))
            case ".mp4":
                film = write_video(
                    self.clips,
                    path,
                    size=size,
                    azimuth=view.azimuth,
                    elevation=view.elevation,
                    follow=view.follow,
                    outfits=outfits,
                    props=props,
                    focus=view.focus,
                    bodies=self.bodies,
                )
                for done, total in film:
                    yield done / total
                return [path, export.write_words(path, whole_report(self))]
            case ".png":
                sheet = contact_sheet(
                    self.clips,
                    count=_MOMENTS,
                    columns=_COLUMNS,
                    cell=_CELL,
                    azimuths=[view.azimuth],
                    elevation=view.elevation,
                    title=self.title,
                    outfits=outfits,
                    props=props,
                    focus=view.focus,
                    bodies=self.bodies,
                )
                save_png(sheet, path)
            case other:
                raise FileError(
                    path,
                    f"cannot be written as {other or 'a file without ending'}; known: {', '.join(ENDINGS)}",
                )
        return [path]

    def _hand_over(self, path: Path, handover: Handover, words: dict[str, object]) -> list[Path]:
        """Write GLB, USD or BVH: all characters in one file, or each in its own file."""
        outfits = [role.outfit for role in self.roles]
        motions = clip_motions(self) if handover.clips else None
        if not handover.each:
            ways = handover.root_motion, handover.axes
            return export.save(self.clips, path, outfits, words, self.bodies, motions, *ways)
        written = []
        for number, role in enumerate(self.roles):
            own = None
            if motions is not None:
                own = [
                    motion._replace(clips=[motion.clips[number]])
                    for motion in motions
                    if motion.clips[number] is not None
                ]
            target = path.with_stem(f"{path.stem}_{number + 1}_{role.name}")
            written += export.save(
                [role.clip],
                target,
                [outfits[number]],
                words,
                [self.bodies[number]],
                own,
                handover.root_motion,
                handover.axes,
            )
        return written


def clip_motions(take: Take) -> list[Motion]:
    """A named animation for every action of every character, with the events in it.

    All begin at the place of the take: clips of two that meet share one origin, and the same `start`.
    """
    motions = []
    for number, role in enumerate(take.roles):
        for count, placed in enumerate(role.placed, start=1):
            rows = slice(placed.start, placed.stop + 1)
            if placed.stop - placed.start < 1:
                continue
            clip = crop(role.clip, rows.start, min(rows.stop, len(role.clip)))
            events = [
                {
                    "time": round((event.tick - placed.start) / take.fps, 4),
                    "kind": event.kind,
                    "role": "does" if event.who == number else "suffers",
                    "with": take.roles[event.whom if event.who == number else event.who].name,
                    "what": event.what,
                    "part": event.part,
                }
                for event in take.events
                if placed.start <= event.tick < placed.stop
                and number in (event.who, event.whom)
                and event.whom >= 0
            ]
            clips: list[Clip | None] = [None] * len(take.roles)
            clips[number] = clip
            extras = {
                "character": role.name,
                "action": role.describe(placed.action),
                "start": round(placed.start / take.fps, 4),
                "events": events,
            }
            motions.append(Motion(f"{role.name} {count:03d} {role.describe(placed.action)}", clips, extras))
    return motions


def make_take(timeline: Timeline, title: str) -> Take:
    """The take that a timeline becomes, without things and with the usual view."""
    walks = finish(baking_bodies(timeline))
    return finished_take(timeline, finish(refining(timeline, walks)), title)


def baking_bodies(
    timeline: Timeline, known: Sequence[Walk | None] = ()
) -> Generator[float, None, list[Walk]]:
    """Bake a timeline, each character with its own build; yields the share that is done.

    Clips that are `known` already stay as they are.
    """
    walks = yield from bake_timeline(timeline, known)
    own = [one is not None for one in known] or [False] * len(walks)
    return [
        walk if made else replace(walk, clip=wear(walk.clip, track.build))
        for walk, track, made in zip(walks, timeline.tracks, own)
    ]


def finished_take(timeline: Timeline, refined: Sequence[Refined], title: str) -> Take:
    """The take of clips that are as they are to be seen; it is measured here."""
    roles = tuple(
        Role.of(track, one.walk, timeline.ticks, one.simulated)
        for track, one in zip(timeline.tracks, refined)
    )
    return Take(
        title,
        timeline.fps,
        timeline.ticks,
        roles,
        timeline.events,
        timeline.decisions,
        dict(timeline.words),
        measure(timeline, [one.walk for one in refined]),
    )
