"""The facts about motions that the kernels of patches need."""

from functools import lru_cache
from typing import NamedTuple

import numpy as np

from randori.body.capsules import STRIKING, fit
from randori.graph.action_graph import ActionGraph
from randori.graph.library import ActionLibrary
from randori.graph.places import compose
from randori.graph.similarity import poses_of
from randori.kernels.patch_tables import ACTION, ANSWER, CAPSULE, DIRECTIONS, FRAME, STRIKE, Motions
from randori.kernels.places import as_rows
from randori.motion import rotations as rot
from randori.patches import mouse
from randori.performer.luggage import PIECES

# kilograms behind a capsule in a collision: a fist moves with some of the arm
MASSES = np.array([6.0, 22.0, 22.0, *(4.0, 3.0, 2.5, 10.0, 5.0, 4.0) * 2, 1.0])
MATCHED = 0.4  # share of a reaction in which it can be entered, unless its annotation says less
_MATCHED_EVERY = 2  # frames
_WAY = np.deg2rad(50.0)  # a response that goes elsewhere than the blow drives is none
_LEVEL_SHARE = 0.3  # share of a unit vector: how level a head must look for its facing to count


class Stock(NamedTuple):
    """The material of patches: the records for kernels, and their columns as numpy arrays."""

    fps: float
    people: int  # number of actions of the library; the others are the mouse's
    postures: int
    motions: Motions
    pelvis: np.ndarray  # (F, 3) x, z, yaw
    facing: np.ndarray  # (F,) radians, where the head looks
    height: np.ndarray  # (F,) metres, of the pelvis
    entry: np.ndarray  # (A, 3) see graph/action_graph.py
    leaving: np.ndarray  # (A, 3)
    first: np.ndarray  # (A,) int64, frame
    stop: np.ndarray  # (A,) int64
    start_posture: np.ndarray  # (A,) int64, -1 for actions outside the graph
    end_posture: np.ndarray  # (A,) int64
    load: np.ndarray  # (A,) int64, the piece in the hands and the hands; -1 for none


def build_stock(graph: ActionGraph) -> Stock:
    """The stock of a graph, and the mouse."""
    library = graph.library
    capsules = fit(library.skeleton)
    body = capsules.place(library.positions, library.global_rotations)
    runs = mouse.ways(library.fps)
    ways = runs.reshape(-1, 3)
    mouse_body = mouse.capsules(ways)
    wide = np.stack([capsules.radii, mouse.radii()])
    spans = [np.linalg.norm(one[:, :, 1] - one[:, :, 0], axis=-1).max(axis=0) for one in (body, mouse_body)]
    capsule = np.zeros((2, 16), CAPSULE)
    capsule["half"], capsule["radius"] = 0.5 * np.stack(spans) + 1e-6, wide

    frames = np.zeros(len(body) + len(ways), FRAME)
    as_rows(frames["pelvis"])[:] = np.concatenate([library.placements, ways])
    frames["facing"] = np.concatenate([_facing(library), ways[:, 2]])
    frames["height"] = np.concatenate([library.frames.root_position[:, 1], np.full(len(ways), mouse.HEIGHT)])
    frames["reach"] = np.concatenate(
        [_reach(body, library.placements, wide[0]), np.full(len(ways), mouse.LENGTH)]
    )
    actions = _actions(graph, len(body), runs)
    return Stock(
        library.fps,
        len(library),
        len(graph.posture_frame),
        Motions(
            np.concatenate([body, mouse_body]).astype(np.float32),
            frames,
            actions,
            _strikes(library),
            capsule,
            MASSES,
            1.0 / library.fps,
            float(frames["reach"].max()),
        ),
        as_rows(frames["pelvis"]),
        frames["facing"],
        frames["height"],
        as_rows(actions["entry"]),
        as_rows(actions["leaving"]),
        *(actions[name] for name in ("first", "stop", "start_posture", "end_posture", "load")),
    )


def _actions(graph: ActionGraph, frames: int, runs: np.ndarray) -> np.ndarray:
    """(A,) ACTION: those of the library, then the runs (R, T, 3) of the mouse, in the frames after them."""
    library, people = graph.library, slice(0, len(graph.library))
    actions = np.zeros(len(library) + len(runs), ACTION)
    actions["first"][people], actions["stop"][people] = library.actions.start, library.actions.stop
    actions["start_posture"][people], actions["end_posture"][people] = graph.start_posture, graph.end_posture
    actions["load"][people] = _loads(library)
    actions["first_strike"][people] = library.actions.strike_start[:-1]
    actions["stop_strike"][people] = library.actions.strike_start[1:]
    as_rows(actions["entry"])[people], as_rows(actions["leaving"])[people] = graph.entry, graph.exit
    mice = actions[len(library) :]
    mice["first"] = frames + runs.shape[1] * np.arange(len(runs))
    mice["stop"] = mice["first"] + runs.shape[1] - 1
    mice["start_posture"], mice["end_posture"], mice["load"] = -1, -1, -1
    return actions


def _strikes(library: ActionLibrary) -> np.ndarray:
    """(S,) STRIKE."""
    strikes = np.zeros(len(library.strikes.peak), STRIKE)
    strikes["first"], strikes["stop"] = library.strikes.start, library.strikes.stop
    strikes["capsule"] = np.array(STRIKING, dtype=np.int64)[library.strikes.effector]
    strikes["extension"] = library.strikes.extension
    return strikes


def _loads(library: ActionLibrary) -> np.ndarray:
    """(A,) int64: a number for each piece of luggage and way to hold it, -1 for empty hands."""
    kinds = [(name, hand) for name in PIECES for hand in ("left", "right", "both")]
    held = [(tags.position, tags.side) for tags in library.tags]
    return np.array([kinds.index(one) if one in kinds else -1 for one in held], dtype=np.int64)


def _facing(library: ActionLibrary) -> np.ndarray:
    """(F,) radians: the direction of the head; a head that looks at the sky or the floor counts as the
    pelvis."""
    head = library.skeleton.joint("head")
    turned = rot.multiply(library.global_rotations[:, head], rot.inverse(library.skeleton.reference[head]))
    forward = rot.rotate(turned, rot.Z_AXIS)
    level = np.hypot(forward[:, 0], forward[:, 2]) > _LEVEL_SHARE
    return np.where(level, np.arctan2(forward[:, 0], forward[:, 2]), library.placements[:, 2])


def _reach(body: np.ndarray, places: np.ndarray, wide: np.ndarray) -> np.ndarray:
    """(F,) metres over the floor from the pelvis to the farthest of the body."""
    away = np.linalg.norm(body[..., [0, 2]] - places[:, None, None, :2], axis=-1) + wide[None, :, None]
    return np.where(wide[None, :, None] > 0.0, away, 0.0).max(axis=(1, 2))


def relation(stock: Stock, frames: np.ndarray, places: np.ndarray) -> tuple[float, float, float]:
    """Distance and bearings of the two in their first frames (2,), placed so (2, 3)."""
    here = compose(np.column_stack([stock.pelvis[frames, :2], stock.facing[frames]]), places)
    way = np.arctan2(here[1, 0] - here[0, 0], here[1, 1] - here[0, 1])
    bearings = rot.wrap_angle(np.array([way - here[0, 2], way + np.pi - here[1, 2]]))
    return float(np.hypot(*(here[1, :2] - here[0, :2]))), float(bearings[0]), float(bearings[1])


def best_answers(graph: ActionGraph, answers: np.ndarray, share: float, frames: int) -> np.ndarray:
    """For every frame and direction of a blow, a reaction and the frame at which to enter it.

    Only reactions that go where the blow drives the body are candidates. Every posture in their first `share`
    is compared with the frame's; the most similar one is entered. Returns (frames, DIRECTIONS) ANSWER; -1
    where there is none.
    """
    return _best_answers(graph, tuple(answers.tolist()), share, frames).copy()


@lru_cache(maxsize=4)  # several patterns of a scene have the same answers
def _best_answers(graph: ActionGraph, answers: tuple[int, ...], share: float, frames: int) -> np.ndarray:
    library = graph.library
    best = np.full((frames, DIRECTIONS), -1, ANSWER)
    if len(answers) == 0:
        return best
    owners, entries = [], []
    for answer in answers:
        start, stop = int(library.actions.start[answer]), int(library.actions.stop[answer])
        rows = np.arange(start, start + max(int(share * (stop - start)), 1), _MATCHED_EVERY)
        owners += [answer] * len(rows)
        entries += rows.tolist()
    owner, entry = np.array(owners), np.array(entries)
    known = _seen_by_pelvis(library)
    # without the term that is the same for all
    apart = (known[entry] ** 2).sum(axis=1) - 2.0 * known @ known[entry].T
    moved = library.actions.displacement[owner]
    goes = np.arctan2(moved[:, 0], moved[:, 1])
    for way in range(DIRECTIONS):
        turned = np.abs(rot.wrap_angle(goes - 2.0 * np.pi * way / DIRECTIONS))
        fits = np.flatnonzero(turned < max(_WAY, float(turned.min()) + 0.1))
        nearest = fits[np.argmin(apart[:, fits], axis=1)]
        best["action"][: len(known), way], best["first"][: len(known), way] = owner[nearest], entry[nearest]
    return best


@lru_cache(maxsize=1)
def _seen_by_pelvis(library: ActionLibrary) -> np.ndarray:
    """(F, D) float32: all poses as the pelvis sees them, to be compared."""
    frames = np.arange(len(library.frames.clip))
    poses = poses_of(library, frames)
    turn = np.exp(-1j * library.placements[frames, 2])[:, None]
    flat = turn * (poses.plane[..., 0] + 1j * poses.plane[..., 1])
    return np.concatenate([flat.real, flat.imag, poses.height], axis=1).astype(np.float32)
