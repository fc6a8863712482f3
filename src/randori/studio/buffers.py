"""Poses for the page: a take, an action or frames of a live session as one buffer (layout: messages)."""

import hashlib
import json
import struct
from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from pydantic import BaseModel

from randori.body.mannequin import MATERIALS, fit
from randori.body.palette import OUTFITS, palette
from randori.characters.character import Costume
from randori.motion.clip import Clip
from randori.motion.skeleton import Skeleton
from randori.scene.story import event_in_words, judged
from randori.scene.take import Role, Take
from randori.studio import messages as wire
from randori.studio.worst import worst_moments
from randori.timeline.timeline import Event

_ALIGNMENT = 16  # bytes
_HEAD = struct.Struct("<4sIII")  # magic, version, bytes of words, bytes of poses
_FULL_TURN = 32767  # of an int16, that stands for 1
_DIGITS = 5  # after the point, in JSON: hundredths of a millimetre


@dataclass(frozen=True)
class Thing:
    """A prop as the page sees it; `path` is (F, 3) metres, or (F, 4) with its yaw, for one that moves."""

    prop: wire.Prop
    path: np.ndarray | None = None


def take_buffer(
    take: Take,
    name: str,
    *,
    draft: bool = False,
    teams: Sequence[int] = (),
    path: Sequence[wire.Checkpoint] = (),
    things: Sequence[Thing] = (),
) -> bytes:
    """All of a take."""
    poses = Poses()
    bodies, which = bodies_of([role.clip.skeleton for role in take.roles])
    costumes, worn = costumes_of(take)
    decided = {(one.who, one.tick): number for number, one in enumerate(take.decisions)}
    characters = [
        wire.Character(
            name=role.name,
            outfit=role.outfit % len(OUTFITS),
            team=teams[number] if number < len(teams) else number % 2,
            body=which[number],
            costume=worn[number],
            **poses.add_clip(role.clip),
            blocks=_blocks(role, number, decided),
        )
        for number, role in enumerate(take.roles)
    ]
    names = [role.name for role in take.roles]
    header = wire.TakeHeader(
        take=name,
        title=take.title,
        scene=str(take.provenance.get("scene", "")),
        seed=_whole(take.provenance.get("seed")),
        draft=draft,
        fps=take.fps,
        frames=take.ticks + 1,
        materials=list(MATERIALS),
        outfits=outfits(),
        bodies=bodies,
        costumes=[to_costume(costume) for costume in costumes],
        characters=characters,
        props=[poses.add_thing(thing) for thing in things],
        path=list(path),
        events=[to_event(event, event_in_words(names, event)) for event in take.events],
        decisions=_marks(take),
        quality=to_quality(take),
        credits=[wire.Credit(**row) for row in take.credits()],
    )
    return poses.after(header)


def clip_buffer(clip: Clip, name: str, title: str, outfit: int = 0, kind: str = "") -> bytes:
    """One clip by itself: the preview of an action, or the ghost of an option."""
    poses = Poses()
    bodies, _ = bodies_of([clip.skeleton])
    block = wire.Block(
        action=0, name=title, kind=kind, start=0, stop=max(len(clip) - 1, 0), cause="", decision=-1
    )
    character = wire.Character(
        name=clip.name, outfit=outfit % len(OUTFITS), team=0, body=0, **poses.add_clip(clip), blocks=[block]
    )
    header = wire.TakeHeader(
        take=name,
        title=title,
        scene="",
        seed=0,
        draft=False,
        fps=clip.fps,
        frames=len(clip),
        materials=list(MATERIALS),
        outfits=outfits(),
        bodies=bodies,
        characters=[character],
        props=[],
        path=[],
        events=[],
        decisions=[],
        quality=None,
        credits=[],
    )
    return poses.after(header)


class Poses:
    """Collects arrays, and says where each begins."""

    def __init__(self) -> None:
        self._parts: list[bytes] = []
        self._size = 0

    def add_clip(self, clip: Clip) -> dict[str, int]:
        """Add the roots and turns of a clip; returns the places of both in the buffer."""
        return {
            "roots": self._add(clip.root_position.astype("<f4")),
            "turns": self._add(to_turns(clip.global_rotations)),
        }

    def add_thing(self, thing: Thing) -> wire.Prop:
        """The prop, told where its path is."""
        where = -1 if thing.path is None else self._add(with_yaw(thing.path).astype("<f4"))
        return thing.prop.model_copy(update={"path": where})

    def after(self, header: BaseModel) -> bytes:
        """The whole buffer."""
        words = _filled(header, _ALIGNMENT)
        head = _HEAD.pack(wire.TAKE_MAGIC, wire.BUFFER_VERSION, len(words), self._size)
        return b"".join([head, words, *self._parts])

    def _add(self, array: np.ndarray) -> int:
        where, data = self._size, array.tobytes()
        data += b"\0" * (-len(data) % 4)
        self._parts.append(data)
        self._size += len(data)
        return where


def is_buffer(path: Path) -> bool:
    """Whether a file is a whole buffer of a take, of this version."""
    try:
        with path.open("rb") as file:
            magic, version, words, poses = _HEAD.unpack(file.read(_HEAD.size))
        whole = path.stat().st_size == _HEAD.size + words + poses
    except (OSError, struct.error):
        return False
    return whole and (magic, version) == (wire.TAKE_MAGIC, wire.BUFFER_VERSION)


def frames_buffer(
    tick: int, roots: np.ndarray, props: np.ndarray, turns: np.ndarray, words: wire.LiveFrames
) -> bytes:
    """Frames of a live session: (F, N, 3), (F, P, 4), and (F, N, J, 4) int16."""
    text = _filled(words, 4)
    head = struct.pack("<4sIII", wire.FRAMES_MAGIC, tick, len(roots), len(text))
    return b"".join([head, text, *(array.tobytes() for array in (roots, props, turns))])


def costume_buffer(number: int, content: bytes) -> bytes:
    """The file of one of the costumes of a live session."""
    return struct.pack("<4sIII", wire.COSTUME_MAGIC, number, 0, 0) + content


def with_yaw(places: np.ndarray) -> np.ndarray:
    """(…, 4) metres and radians of places (…, 3) that do not turn, or (…, 4) that do."""
    if places.shape[-1] == 4:
        return places
    return np.concatenate([places, np.zeros((*places.shape[:-1], 1))], axis=-1)


def to_turns(rotations: np.ndarray, before: np.ndarray | None = None) -> np.ndarray:
    """(F, …, 4) int16 x, y, z, w of quaternions (F, …, 4), each on the side of the one before it."""
    # w first as everywhere in Randori, last as in every browser
    turned = np.asarray(rotations, dtype=np.float64)[..., [1, 2, 3, 0]]
    follows = turned if before is None else np.concatenate([before[None].astype(np.float64), turned])
    flips = np.where(np.sum(follows[1:] * follows[:-1], axis=-1) < 0.0, -1.0, 1.0)
    sides = np.cumprod(flips, axis=0)
    if before is None:
        sides = np.concatenate([np.ones_like(turned[:1, ..., 0]), sides])
    return np.rint(turned * sides[..., None] * _FULL_TURN).astype("<i2")


def bodies_of(skeletons: Sequence[Skeleton]) -> tuple[list[wire.Body], list[int]]:
    """The different bodies, and which of them each skeleton is."""
    known: dict[int, int] = {}
    bodies, which = [], []
    for skeleton in skeletons:
        if id(skeleton) not in known:
            body = to_body(skeleton)
            if body not in bodies:
                bodies.append(body)
            known[id(skeleton)] = bodies.index(body)
        which.append(known[id(skeleton)])
    return bodies, which


def to_body(skeleton: Skeleton) -> wire.Body:
    """A skeleton with its mannequin."""
    mannequin = fit(skeleton)
    cones = [
        wire.Cone(
            joint=int(mannequin.joints[k]),
            start=_point(mannequin.starts[k]),
            stop=_point(mannequin.stops[k]),
            start_radius=round(float(mannequin.start_radii[k]), _DIGITS),
            stop_radius=round(float(mannequin.stop_radii[k]), _DIGITS),
            material=int(mannequin.materials[k]),
            part=mannequin.parts[k],
        )
        for k in range(len(mannequin.joints))
    ]
    bones = wire.Skeleton(
        joints=list(skeleton.names),
        parents=skeleton.parents.tolist(),
        offsets=[_point(offset) for offset in skeleton.offsets],
    )
    return wire.Body(skeleton=bones, cones=cones)


def costumes_of(take: Take) -> tuple[list[Costume], list[int]]:
    """The different costumes of a take, and which of them each role wears (-1: none)."""
    costumes: list[Costume] = []
    worn = []
    for role in take.roles:
        if role.costume is not None and role.costume not in costumes:
            costumes.append(role.costume)
        worn.append(-1 if role.costume is None else costumes.index(role.costume))
    return costumes, worn


def to_costume(costume: Costume) -> wire.Costume:
    """The nodes of a costume's file, and the joints of its skeleton that they follow."""
    exported = costume.character.to_export(costume.name)
    return wire.Costume(
        key=hashlib.sha256(costume.content).hexdigest()[:20],
        nodes=[int(node) for node in exported.nodes],
        scale=float(exported.size * np.linalg.norm(exported.above[:3, 0])),
        hidden=list(exported.hidden),
    )


def outfits() -> list[wire.Outfit]:
    """All outfits, in the order of their numbers."""
    return [
        wire.Outfit(name=name, colours=[palette(number)[material] for material in MATERIALS])
        for name, number in OUTFITS.items()
    ]


def to_event(event: Event, words: str) -> wire.TakeEvent:
    point = None if event.point is None else _point(np.array(event.point))
    return wire.TakeEvent(
        tick=event.tick,
        kind=event.kind,
        who=event.who,
        whom=event.whom,
        what=event.what,
        part=event.part,
        strength=event.strength,
        point=point,
        words=words,
    )


def to_quality(take: Take) -> wire.Quality:
    """The report, in sentences and in figures."""
    lines = [line.split(None, 1) for line in judged(take).splitlines()]
    worst = worst_moments(take)
    sentences = []
    for mark, text in lines:
        tick, who = worst.get(text.partition(":")[0], (-1, -1))
        sentences.append(wire.Sentence(fine=mark == "ok", text=text, tick=tick, who=who))
    return wire.Quality(
        sentences=sentences,
        figures=json.loads(json.dumps(take.measured.as_dict())),
    )


def _blocks(role: Role, who: int, decided: dict[tuple[int, int], int]) -> list[wire.Block]:
    return [
        wire.Block(
            action=one.action,
            name=role.describe(one.action),
            kind=role.tags[one.action].kind if one.action >= 0 else "",
            start=one.start,
            stop=one.stop,
            cause=one.cause,
            decision=decided.get((who, one.start), -1),
        )
        for one in role.placed
    ]


def _marks(take: Take) -> list[wire.DecisionMark]:
    return [
        wire.DecisionMark(
            number=number,
            tick=one.tick,
            who=one.who,
            action=one.action,
            name=take.roles[one.who].describe(one.action),
            options=len(one.options),
            plausible=sum(not option.rule for option in one.options),
        )
        for number, one in enumerate(take.decisions)
    ]


def _whole(value: object) -> int:
    return value if isinstance(value, int) else 0


def _point(values: np.ndarray) -> wire.Point:
    x, y, z = (round(float(value), _DIGITS) for value in values)
    return x, y, z


def _filled(words: BaseModel, multiple: int) -> bytes:
    """JSON, filled up with spaces."""
    text = words.model_dump_json().encode()
    return text + b" " * (-len(text) % multiple)
