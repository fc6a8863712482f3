"""Patches in which luggage changes hands.

Hands have to meet to the centimetre, so the beginning of such a patch is not sampled but solved: from the
moment in which both characters hold the luggage, each one's moves are laid out backwards and forwards over
its graph. The beginning has to lie within the ranges of the pattern, as for any other patch.
"""

from collections.abc import Generator, Iterator
from itertools import product
from typing import NamedTuple

import numpy as np

from randori.errors import RandoriError
from randori.graph.action_graph import ActionGraph
from randori.graph.library import ActionLibrary
from randori.graph.places import compose, inverse
from randori.kernels import patch_joins
from randori.kernels import patch_tables as records
from randori.kernels.patch_scores import relation_at
from randori.kernels.patch_ways import PutPart
from randori.kernels.places import as_places
from randori.motion import rotations as rot
from randori.patches.library import EVENT, EVENT_KINDS, MARK, PATCH_STEP, PatchArrays, concatenate
from randori.patches.pattern import STEP_ANGLE, STEP_DELAY, STEP_DISTANCE, PatchScene, Pattern
from randori.patches.sampling import actions_of, samples
from randori.patches.stock import Stock, relation
from randori.patches.ways import ways_of
from randori.performer.luggage import PIECES

GRIPS = ("left_hand", "right_hand")
FISTS_APART = 0.10  # metres on one handle
_OTHER_ACTIONS = 3  # actions that are tried before and after each of the two
_HANDS = [4, 5, 10, 11]  # capsules of forearms and hands, which come near each other around luggage
_HANDS_DEPTH = 0.08  # metres


class Grip(NamedTuple):
    """The place of luggage as it changes hands, in the recording of an action."""

    frame: int
    place: np.ndarray  # (3,) x, z of its middle in metres, yaw that its holder sees it at
    height: float  # metres of the middle


def grip_of(library: ActionLibrary, action: int) -> Grip:
    """The moment of an action in which luggage changes hands, and where it is then."""
    strike = int(library.actions.strike_start[action])
    if strike == int(library.actions.strike_start[action + 1]):
        raise ValueError(f"action {action} does not say when luggage changes hands")
    frame = int(library.strikes.peak[strike])
    tags = library.tags[action]
    place, height = luggage_at(library, frame, tags.position, tags.side)
    return Grip(frame, place, height)


def luggage_at(library: ActionLibrary, frame: int, name: str, hand: str) -> tuple[np.ndarray, float]:
    """The place of luggage that is held in a frame: x, z of its middle and its yaw (3,), and the middle's
    height.

    A piece held in both arms is between the hands; a piece with a handle hangs below the fist.
    """
    piece = PIECES[name]
    joints = [library.skeleton.joint(part) for part in GRIPS]
    left, right = (library.positions[frame, joint] for joint in joints)
    if piece.both:
        across = left - right
        yaw = float(np.arctan2(-across[2], across[0]))
        own = 0.5 * (piece.wrist("left") + piece.wrist("right"))
        middle = 0.5 * (left + right) - rot.rotate(rot.from_yaw(yaw), own)
        return np.array([middle[0], middle[2], yaw]), float(middle[1])
    joint = joints[0 if hand == "left" else 1]
    tip = library.positions[frame, joint] + rot.rotate(
        library.global_rotations[frame, joint], 0.5 * library.skeleton.tips[joint]
    )
    yaw = float(library.placements[frame, 2])
    return np.array([tip[0], tip[2], yaw]), float(tip[1]) - 0.5 * piece.size[1] - 0.02


def handing_patches(
    scene: PatchScene, number: int, graph: ActionGraph, stock: Stock
) -> Generator[float, None, tuple[PatchArrays, np.ndarray, int]]:
    """The patches of a pattern in which the first hands something to the second; yields the share done.

    Returns them, the tally of kernels/patch_tables.py, and how many different ones there were.
    """
    pattern = scene.pattern[number]
    tally = np.zeros(records.REASONS, dtype=np.int64)
    library = graph.library
    moves = pattern.list
    words = [scene.annotation[move.word] for move in moves]
    chosen = [set(actions_of(word, graph).tolist()) for word in words]
    ours, theirs = ([k for k, move in enumerate(moves) if move.role == role] for role in (0, 1))
    give = next(k for k in ours if words[k].hands_over)
    take = next(k for k in theirs if words[k].hands_over)
    found: dict[tuple[int, ...], tuple[float, PatchArrays]] = {}
    meetings = list(product(sorted(chosen[give]), sorted(chosen[take])))
    for done, (giving, taking) in enumerate(meetings):
        yield done / len(meetings)
        one, other = library.tags[giving], library.tags[taking]
        if one.position != other.position:
            continue
        for lines in product(
            _lines(graph, giving, ours, give, chosen), _lines(graph, taking, theirs, take, chosen)
        ):
            tally[records.TRIED] += 1
            patch = _lay_out(graph, stock, number, lines, (ours, theirs), (give, take))
            starts = patch.step["start"][np.argsort(patch.step["move"])]
            if (np.diff(starts) < 0).any():
                tally[records.ORDER] += 1
                continue
            sample = _sample(scene, pattern, patch.initial[0])
            if sample is None:
                tally[records.CLOSE] += 1
                continue
            if not _clear(stock, patch, pattern):
                tally[records.COLLISION] += 1
                continue
            if patch.score[0] < pattern.threshold:
                tally[records.POOR] += 1
                continue
            tally[records.KEPT] += 1
            key = (giving, taking, *(line[0] for line in lines), *sample)
            if key not in found or patch.score[0] > found[key][0]:
                found[key] = (float(patch.score[0]), patch)
    ranked = sorted(found.items(), key=lambda item: (-item[1][0], item[0]))[: pattern.keep]
    if not ranked:
        raise RandoriError(f"{scene.name}: no character can hand over anything in {pattern.title!r}")
    return (
        concatenate([patch for _, (_, patch) in sorted(ranked, key=lambda item: item[0])]),
        tally,
        len(found),
    )


def _lines(
    graph: ActionGraph, middle: int, moves: list[int], at: int, chosen: list[set[int]]
) -> Iterator[tuple[int, ...]]:
    """The moves of one of the two, from the first to the last, around the one in which hands meet."""
    tags = graph.library.tags
    piece = tags[middle].position
    has = tags[middle].technique == "hand over"

    def fitting(move: int, before: bool) -> list[int]:
        # the same piece in the same hands while it is carried, empty hands otherwise
        loaded = has == before
        wanted = (piece, tags[middle].side) if loaded else ("", None)
        ends = graph.end_posture if before else graph.start_posture
        posture = graph.start_posture[middle] if before else graph.end_posture[middle]
        fits = [
            action
            for action in chosen[move]
            if ends[action] == posture
            and tags[action].position == wanted[0]
            and (wanted[1] is None or tags[action].side == wanted[1])
        ]
        # the next one in the recording first, then the nearest
        return sorted(fits, key=lambda action: (abs(action - middle), action))[:_OTHER_ACTIONS]

    place = moves.index(at)
    options = [[middle] if move == at else fitting(move, before=k < place) for k, move in enumerate(moves)]
    return product(*options)


def _lay_out(
    graph: ActionGraph,
    stock: Stock,
    number: int,
    lines: tuple[tuple[int, ...], tuple[int, ...]],
    moves: tuple[list[int], list[int]],
    meeting: tuple[int, int],
) -> PatchArrays:
    """Both lines, placed and timed so that the hands meet."""
    library = graph.library
    grips = [grip_of(library, line[own.index(at)]) for line, own, at in zip(lines, moves, meeting)]
    places, steps = [], []
    for role in (0, 1):
        line, at = lines[role], moves[role].index(meeting[role])
        middle = np.zeros((1, 3)) if role == 0 else _opposite(library, lines[0], moves, meeting, grips)
        own_places, own_steps = _line(graph, line, at, middle, grips[role].frame)
        places.append(own_places)
        steps.append(own_steps)
    # the patch's own frame and clock
    begins = [own["start"][0] for own in steps]
    first = int(steps[0]["first"][0])
    start = compose(np.array([[*stock.pelvis[first, :2], stock.facing[first]]]), places[0][:1])
    home = inverse(start)
    step = np.concatenate(steps)
    step["start"] -= min(begins)
    step["stop"] -= min(begins)
    step["move"] = [*moves[0], *moves[1]]
    place = compose(np.concatenate(places), np.repeat(home, len(step), axis=0))
    parts = np.array([0, len(lines[0]), len(step)])
    tick = int(-min(begins))
    stops = [int(step["stop"][parts[role + 1] - 1]) for role in (0, 1)]
    initial = relation(stock, step["first"][[0, parts[1]]], place[[0, parts[1]]])
    delay = (step["start"][parts[1]] - step["start"][0]) / stock.fps
    roles, placed = np.zeros(len(step), records.MOVE), np.zeros(len(step), records.STEP)
    roles["role"][parts[1] :] = 1
    for name in ("action", "first", "start", "stop"):
        placed[name] = step[name]
    placed["place"] = as_places(place)
    final = relation_at(stock.motions, roles, placed, max(stops))
    point = compose(grips[0].place[None], compose(np.zeros((1, 3)), home))[0]
    higher = abs(grips[0].height - grips[1].height)
    apart = relation_at(stock.motions, roles, placed, tick)
    looks = 0.25 * (2.0 + np.cos(apart[1]) + np.cos(apart[2]))
    score = 0.5 * looks + 0.5 * max(1.0 - higher / 0.1, 0.0)
    return PatchArrays(
        np.array([number]),
        np.array([score]),
        np.array([[*initial, delay]]),
        np.array([[*final, (stops[1] - stops[0]) / stock.fps]]),
        parts,
        step,
        place,
        np.array([0, 1]),
        np.array([(tick, EVENT_KINDS.index("hand over"), 0, 1, -1, -1)], dtype=EVENT),
        np.array([(higher, point[0], grips[0].height, point[1])], dtype=MARK),
    )


def _opposite(
    library: ActionLibrary,
    line: tuple[int, ...],
    moves: tuple[list[int], list[int]],
    meeting: tuple[int, int],
    grips: list[Grip],
) -> np.ndarray:
    """(1, 3) the placement of the second recording relative to the first: across the luggage."""
    piece = PIECES[library.tags[line[moves[0].index(meeting[0])]].position]
    x, z, yaw = grips[0].place
    if not piece.both:
        x, z = x + FISTS_APART * np.sin(yaw), z + FISTS_APART * np.cos(yaw)
    return compose(inverse(grips[1].place[None]), np.array([[x, z, yaw + np.pi]]))


def _line(
    graph: ActionGraph, line: tuple[int, ...], at: int, middle: np.ndarray, grip: int
) -> tuple[np.ndarray, np.ndarray]:
    """Places (n, 3) and steps (n,) PATCH_STEP of a line of actions, ticks counted from the grip."""
    library = graph.library
    first, stop = library.actions.start[list(line)], library.actions.stop[list(line)]
    places = np.empty((len(line), 3))
    places[at] = middle[0]
    for k in range(at + 1, len(line)):
        posture = compose(graph.exit[[line[k - 1]]], places[[k - 1]])
        places[k] = compose(inverse(graph.entry[[line[k]]]), posture)[0]
    for k in range(at - 1, -1, -1):
        posture = compose(graph.entry[[line[k + 1]]], places[[k + 1]])
        places[k] = compose(inverse(graph.exit[[line[k]]]), posture)[0]
    length = stop - first
    ends = np.cumsum(length)
    starts = ends - length
    zero = starts[at] + grip - first[at]
    steps = np.zeros(len(line), PATCH_STEP)
    steps["action"], steps["first"] = line, first
    steps["start"], steps["stop"] = starts - zero, ends - zero
    return places, steps


def _sample(scene: PatchScene, pattern: Pattern, initial: np.ndarray) -> tuple[int, ...] | None:
    """The pattern's sample that is nearest to an initial condition; None if it is beyond them all."""
    cells = []
    values = (initial[0], *np.rad2deg(initial[1:3]), initial[3])
    steps = (STEP_DISTANCE, STEP_ANGLE, STEP_ANGLE, STEP_DELAY)
    for value, limits, step in zip(values, scene.ranges(pattern), steps):
        grid = samples(*limits, step)
        cell = int(np.argmin(np.abs(grid - value)))
        if abs(grid[cell] - value) > 0.5 * step + 1e-9:
            return None
        cells.append(cell)
    return tuple(cells)


def _clear(stock: Stock, patch: PatchArrays, pattern: Pattern) -> bool:
    """Whether nothing touches but the hands."""
    allowed = np.full((16, 16), pattern.overlap)
    allowed[np.ix_(_HANDS, _HANDS)] = _HANDS_DEPTH
    ways, last = ways_of(patch, stock), int(patch.step["stop"].max())
    one, other = (PutPart(part, 0, 0.0, 0.0, 0.0) for part in (0, 1))
    return bool(patch_joins.clear(stock.motions, ways, allowed, one, other, 0, last))
