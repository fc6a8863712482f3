"""An independent check of a library of patches: is every patch as its pattern asks, does every join hold?

Nothing here comes from the kernels that build patches: placements are moved one by one, bodies are
measured capsule by capsule with kernels/overlap.py, tags are read again. patches/replay.py replays the joins.
"""

from collections import Counter
from collections.abc import Generator
from dataclasses import dataclass, field
from functools import cached_property
from itertools import pairwise

import numpy as np

from randori.body.capsules import CAPSULES, GUARD, STRIKING, VITAL, fit
from randori.errors import RandoriError
from randori.graph.action_graph import ActionGraph
from randori.kernels import overlap
from randori.motion import rotations as rot
from randori.parallel import mapping
from randori.patches import mouse
from randori.patches.library import PatchLibrary, fingerprint
from randori.patches.patch import Part, Patch, following
from randori.patches.replay import ROUNDING, Replay, moved, replay_chunk
from randori.timeline.timeline import FORCED, Event, Placed
from randori.work import part as share_of

_BLOCK = 0.06  # metres that an arm gives way where it stops a strike
_HANDS = [CAPSULES.index(f"{side}_{part}") for side in ("left", "right") for part in ("forearm", "hand")]
_HANDS_DEPTH = 0.08  # metres, around luggage
_LIMBS = ("upper_arm", "forearm", "hand"), ("thigh", "shin", "foot")
_PATCHES_SHARE = 0.3  # the share of the work that checks patches; the rest checks joins
_CHUNK = 256  # joins


@dataclass
class Findings:
    """The faults found, by kind, and how much was checked."""

    patches: int = 0
    joins: int = 0
    wrong: Counter[str] = field(default_factory=Counter)
    examples: list[str] = field(default_factory=list)
    deepest: float = 0.0  # metres that bodies are in each other where they should not

    def add(self, what: str, where: str) -> None:
        self.wrong[what] += 1
        if self.wrong[what] <= 3:
            self.examples.append(f"{where}: {what}")

    def report(self) -> dict[str, object]:
        return {
            "patches": self.patches,
            "joins": self.joins,
            "deepest outside intended contact (cm)": round(100.0 * self.deepest, 2),
            "wrong": dict(self.wrong) or "nothing",
            "for example": self.examples[:12],
        }


class Checker:
    """Looks at patches and joins of one library."""

    def __init__(self, patches: PatchLibrary, graph: ActionGraph):
        if patches.motions != fingerprint(graph.library):
            raise RandoriError("the patches were built on other motions than these")
        self.patches, self.graph, self.library = patches, graph, graph.library
        self.scene = patches.scene
        self.found = Findings()
        self._runs = mouse.ways(self.library.fps)

    @cached_property
    def _body(self) -> np.ndarray:
        return fit(self.library.skeleton).place(self.library.positions, self.library.global_rotations)

    # -- bodies ------------------------------------------------------------------------------------

    def _is_mouse(self, part: Part) -> bool:
        return part.steps[0].action >= len(self.library)

    def _radii(self, part: Part) -> np.ndarray:
        return mouse.radii() if self._is_mouse(part) else fit(self.library.skeleton).radii

    def bodies(self, part: Part, ticks: np.ndarray) -> np.ndarray:
        """(T, 16, 2, 3) metres, where the body is in some ticks; before and after as it begins and ends."""
        shown = np.clip(ticks, part.start, part.stop)
        result = np.empty((len(ticks), 16, 2, 3))
        for number, step in enumerate(part.steps):
            last = number == len(part.steps) - 1
            inside = (shown >= step.start) & ((shown < step.stop) | last)
            frames = step.first + shown[inside] - step.start
            if self._is_mouse(part):
                rows = frames - len(self.library.frames.clip)
                body = mouse.capsules(self._runs.reshape(-1, 3)[rows])
            else:
                body = self._body[frames]
            result[inside] = step.placement.move_points(body)
        return result

    def depths(self, one: Part, other: Part, ticks: np.ndarray) -> np.ndarray:
        """(T, 16, 16) metres that capsules are in each other; where bodies are far apart, -inf."""
        a, b = self.bodies(one, ticks), self.bodies(other, ticks)
        out = np.full((len(ticks), 16, 16), -np.inf)
        middles = [body.reshape(len(ticks), -1, 3) for body in (a, b)]
        # boxes around both that do not touch, grown by the thickest part
        apart = np.zeros(len(ticks), dtype=bool)
        for axis in (0, 2):
            low, high = ([m[..., axis].min(axis=1), m[..., axis].max(axis=1)] for m in middles)
            apart |= (low[0] - high[1] > 0.3) | (high[0] - low[1] > 0.3)
        near = np.flatnonzero(~apart)
        if len(near):
            close = np.empty((len(near), 16, 16))
            overlap.depths(
                np.ascontiguousarray(a[near]), self._radii(one), np.ascontiguousarray(b[near]),
                self._radii(other), close,
            )  # fmt: skip
            out[near] = close
        return out

    # -- patches -----------------------------------------------------------------------------------

    def check_patch(self, number: int) -> None:
        """All that a patch's pattern asks for."""
        self.found.patches += 1
        patch = self.patches.patch(number)
        where = f"patch {number}"
        self._check_moves(patch, where)
        self._check_line(patch, where)
        self._check_beginning(patch, where)
        self._check_contact(patch, where)

    def _check_moves(self, patch: Patch, where: str) -> None:
        """The right actions, in the right order, by the right one."""
        moves = self.scene.pattern[patch.pattern].list
        placed: dict[int, tuple[int, Placed]] = {}
        for role, part in enumerate(patch.parts):
            for which, step in zip(part.moves, part.steps):
                placed[which] = (role, step)
        if sorted(placed) != list(range(len(moves))):
            self.found.add("moves are missing", where)
            return
        for number, move in enumerate(moves):
            role, step = placed[number]
            word = self.scene.annotation[move.word]
            if role != move.role:
                self.found.add("done by the wrong one", where)
            if step.action < len(self.library):
                tags = self.library.tags[step.action]
                if not any(wanted.fits(tags) for wanted in word.actions):
                    self.found.add(f"not a {move.word}", where)
            elif not word.thing:
                self.found.add(f"a mouse does {move.word}", where)
            if (step.cause == FORCED) != word.response:
                self.found.add("forced where it should be chosen, or chosen where forced", where)
        starts = [placed[number][1].start for number in range(len(moves))]
        if any(after < before for before, after in pairwise(starts)):
            self.found.add("moves start in another order", where)

    def _check_line(self, patch: Patch, where: str) -> None:
        """Steps without gaps, joined as the graph joins them; a response where the body was."""
        for part in patch.parts:
            for before, after in pairwise(part.steps):
                if before.stop != after.start:
                    self.found.add("a gap in time", where)
                if after.cause == FORCED:
                    here, there = (
                        moved(self.library.placements[frame], step.placement)
                        for frame, step in ((before.last, before), (after.first, after))
                    )
                    off = np.hypot(*(here - there)[:2])
                elif self.graph.end_posture[before.action] != self.graph.start_posture[after.action]:
                    self.found.add("an action that cannot follow", where)
                    continue
                else:
                    wanted = following(self.graph, before, after.action)
                    off = np.hypot(wanted.x - after.placement.x, wanted.z - after.placement.z)
                if off > ROUNDING:
                    self.found.add("a jump", where)

    def _check_beginning(self, patch: Patch, where: str) -> None:
        """The sample that it says it began with, and that within its ranges."""
        pattern = self.scene.pattern[patch.pattern]
        seen = [self._seen(part, part.start) for part in patch.parts]
        away = seen[1][:2] - seen[0][:2]
        way = float(np.arctan2(away[0], away[1]))
        bearings = rot.wrap_angle(np.array([way - seen[0][2], way + np.pi - seen[1][2]]))
        said = patch.initial
        off = np.abs(rot.wrap_angle(bearings - np.array(said.bearings)))
        if abs(float(np.hypot(*away)) - said.distance) > 0.01 or (off > 0.02).any():
            self.found.add("begins elsewhere than it says", where)
        delay = (patch.parts[1].start - patch.parts[0].start) / self.library.fps
        if abs(delay - said.delay) > 1e-6:
            self.found.add("begins at another time than it says", where)
        values = (said.distance, *np.rad2deg(said.bearings), said.delay)
        # a solved beginning may lie half a cell beyond the last sample
        for value, (low, high), cell in zip(values, self.scene.ranges(pattern), (0.1, 10.0, 10.0, 0.05)):
            slack = cell if self.scene.hands_over(pattern) else 1e-6
            wrapped = (value + 180.0) % 360.0 - 180.0 if cell == 10.0 else value
            if not low - slack <= wrapped <= high + slack and not low - slack <= value <= high + slack:
                self.found.add("begins outside its ranges", where)

    def _seen(self, part: Part, tick: int) -> np.ndarray:
        """(3,) place and yaw of a character in a tick."""
        frame, place = part.frame_at(tick)
        if self._is_mouse(part):
            own = self._runs.reshape(-1, 3)[frame - len(self.library.frames.clip)]
            return moved(own, place)
        head = self.library.skeleton.joint("head")
        turned = rot.multiply(
            self.library.global_rotations[frame, head], rot.inverse(self.library.skeleton.reference[head])
        )
        forward = rot.rotate(turned, rot.Z_AXIS)
        x, z, yaw = self.library.placements[frame]
        if np.hypot(forward[0], forward[2]) > 0.3:
            yaw = float(np.arctan2(forward[0], forward[2]))
        return moved(np.array([x, z, yaw]), place)

    def _check_contact(self, patch: Patch, where: str) -> None:
        """Strikes hit where an event says so and nowhere else; bodies touch only where they are meant to."""
        pattern = self.scene.pattern[patch.pattern]
        ticks = np.arange(patch.ticks + 1)
        depths = self.depths(patch.parts[0], patch.parts[1], ticks)
        allowed = np.full((len(ticks), 16, 16), pattern.overlap)
        if self.scene.hands_over(pattern):
            for hand in _HANDS:
                allowed[:, hand, _HANDS] = _HANDS_DEPTH
        for event in patch.events:
            if event.kind in ("hit", "push"):
                self._allow_touch(patch, event, allowed)
        for role, part in enumerate(patch.parts):
            for move, step in zip(part.moves, part.steps):
                word = self.scene.annotation[pattern.list[move].word]
                if word.threat == "strike":
                    self._check_strike(patch, role, step, depths, where)
                    self._allow_blocks(patch, role, step, allowed)
        excess = depths - allowed
        deepest = float(excess.max())
        if deepest > 0.0:
            self.found.deepest = max(self.found.deepest, deepest + pattern.overlap)
        if deepest > ROUNDING:
            self.found.add("bodies in each other", where)
        for event in patch.events:
            if event.kind in ("hit", "push") and self._gap_at(patch, event) > ROUNDING:
                self.found.add(f"a {event.kind} that does not touch", where)
        responses = sum(step.cause == FORCED for part in patch.parts for step in part.steps)
        touches = sum(event.kind in ("hit", "push") for event in patch.events)
        if responses != touches:
            self.found.add("touches and responses do not match", where)

    def _gap_at(self, patch: Patch, event: Event) -> float:
        """Metres between the striking and the struck part, just before the reaction begins."""
        moment = np.array([event.tick])
        struck = patch.parts[event.whom]
        until = [step for step in struck.steps if step.stop <= event.tick]
        before = Part(tuple(until), struck.moves[: len(until)])
        depths = self.depths(patch.parts[event.who], before, moment)[0]
        return -float(depths[CAPSULES.index(event.what), CAPSULES.index(event.part)])

    def _allow_touch(self, patch: Patch, event: Event, allowed: np.ndarray) -> None:
        """Allow bodies to be deeper in each other for a while after a meant hit or push."""
        pattern = self.scene.pattern[patch.pattern]
        until = event.tick + round(pattern.contact_seconds * self.library.fps)
        span = slice(event.tick, until + 1)
        limb = next((limb for limb in _LIMBS if event.what.split("_", 1)[-1] in limb), None)
        depth = max(pattern.contact_depth, pattern.overlap)
        if event.kind == "push" or limb is None:
            allowed[span] = depth
            return
        side = event.what.split("_", 1)[0]
        rows = [CAPSULES.index(f"{side}_{part}") for part in limb]
        if event.who == 0:
            allowed[span, rows, :] = depth
        else:
            allowed[span, :, rows] = depth

    def _allow_blocks(self, patch: Patch, role: int, step: Placed, allowed: np.ndarray) -> None:
        """The arms of a defender may stop a strike."""
        pattern = self.scene.pattern[patch.pattern]
        other = patch.parts[1 - role]
        limbs = [k for k, name in enumerate(CAPSULES) if name.startswith(("left", "right"))]
        for move, theirs in zip(other.moves, other.steps):
            if not self.scene.annotation[pattern.list[move].word].defends:
                continue
            first, last = max(step.start, theirs.start), min(step.stop, theirs.stop)
            pair = np.ix_(limbs, list(GUARD)) if role == 0 else np.ix_(list(GUARD), limbs)
            for tick in range(first, last + 1):
                allowed[tick][pair] = np.maximum(allowed[tick][pair], _BLOCK)

    def _check_strike(self, patch: Patch, role: int, step: Placed, depths: np.ndarray, where: str) -> None:
        """A striking part meets head or trunk in the tick of its hit and not earlier; without a hit,
        never."""
        strikes, arrays = self.library.strikes, self.library.actions
        hits = [
            event.tick
            for event in patch.events
            if event.kind == "hit" and event.who == role and step.start <= event.tick <= step.stop
        ]
        touched = []
        for strike in range(int(arrays.strike_start[step.action]), int(arrays.strike_start[step.action + 1])):
            capsule = STRIKING[int(strikes.effector[strike])]
            first, last = (
                max(int(strikes.start[strike]), step.first),
                min(int(strikes.stop[strike]), step.last + 1),
            )
            for frame in range(first, last):
                tick = step.start + frame - step.first
                rows = depths[tick, capsule] if role == 0 else depths[tick, :, capsule]
                if rows[list(VITAL)].max() > 0.0:
                    touched.append((tick, float(rows[list(VITAL)].max())))
        if not hits and any(depth > ROUNDING for _, depth in touched):
            self.found.add("a hit that the pattern does not have", where)
        if hits and any(tick < hits[0] and depth > ROUNDING for tick, depth in touched):
            self.found.add("a hit before the hit", where)


def checking(
    patches: PatchLibrary, graph: ActionGraph, most_joins: int | None = None, workers: int | None = None
) -> Generator[float, None, Findings]:
    """Check every patch and every join; yields the share that is done.

    `most_joins` limits the number of joins per table; they are spread evenly.
    """
    checker = Checker(patches, graph)
    tables = patches.joins._asdict()
    for number in range(len(patches)):
        if number % 16 == 0:
            yield _PATCHES_SHARE * number / len(patches)
        checker.check_patch(number)
    chunks = []
    for kind, table in tables.items():
        every = max(-(-len(table) // most_joins), 1) if most_joins else 1
        rows = len(table) if most_joins != 0 else 0
        chunks += [
            (kind, first, min(first + _CHUNK * every, rows), every)
            for first in range(0, rows, _CHUNK * every)
        ]
    results = yield from share_of(
        mapping(replay_chunk, Replay(patches, graph), chunks, workers), _PATCHES_SHARE, 1.0 - _PATCHES_SHARE
    )
    found = checker.found
    for (kind, first, stop, every), result in zip(chunks, results):
        found.joins += len(range(first, stop, every))
        found.deepest = max(found.deepest, float(result["deepest"][0]))
        for row, what in zip(result["row"].tolist(), result["wrong"].tolist()):
            found.add(what, f"{kind} {tuple(tables[kind][row].tolist())}")
    return found
