"""Luggage in captured motions: which piece is in which hands, and the frame in which it changes hands.

A recording shows hands, not the things in them. Capture names the action (pick up, carry, hand over, receive,
put down) and the hands that do it. This module derives the piece from the hands, unless the library names it.
"""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from randori.capture.actions import Tags
from randori.graph.library import EFFECTORS, ActionLibrary, StrikeArrays
from randori.performer.luggage import PIECES

IN_BOTH_ARMS, IN_ONE_HAND = "box", "suitcase"  # the pieces that captured motions carry
_TAKES, _GIVES = ("pick up", "receive"), ("put down", "hand over")
_FROM_FLOOR = ("pick up", "put down")
_EMPTY_HANDED = ("walk", "run", "jog", "sprint", "walk back", "run back")  # steps that carry nothing


def with_luggage(library: ActionLibrary) -> ActionLibrary:
    """The library with a piece for everything that is carried, and a grip for everything that is handled.

    A library that names its pieces, as the performer's truth does, stays as it is.
    """
    if not any(tags.kind == "luggage" and tags.position not in PIECES for tags in library.tags):
        return library
    tags = list(library.tags)
    for clip in np.unique(library.actions.clip).tolist():
        rows = np.flatnonzero(library.actions.clip == clip)
        rows = rows[np.argsort(library.actions.start[rows], kind="stable")]
        for row, held in zip(rows.tolist(), _held([library.tags[row] for row in rows.tolist()])):
            if held and tags[row].position not in PIECES:
                piece = IN_BOTH_ARMS if held == "both" else IN_ONE_HAND
                tags[row] = replace(tags[row], position=piece, side=held)
    return _with_grips(replace(library, tags=tuple(tags)))


def _held(tags: Sequence[Tags]) -> list[str]:
    """The hands that hold something in each action of a clip: left, right, both, or none."""
    held, hands = [""] * len(tags), ""
    for row, one in enumerate(tags):
        if one.kind == "luggage":
            held[row] = one.side or "both"
            hands = held[row] if one.technique in _TAKES else ""
        elif one.technique in _EMPTY_HANDED:
            hands = ""
        else:
            held[row] = hands
    hands = ""
    for row in range(len(tags) - 1, -1, -1):  # a piece that is put down was carried before
        one = tags[row]
        if one.kind == "luggage":
            hands = held[row] if one.technique in _GIVES else ""
        elif one.technique in _EMPTY_HANDED:
            hands = ""
        elif not held[row]:
            held[row] = hands or ("both" if one.technique == "carry" else "")
    return held


def _with_grips(library: ActionLibrary) -> ActionLibrary:
    """Every action that handles luggage gets a strike without speed where it changes hands."""
    actions, strikes = library.actions, library.strikes
    rows: list[list[int]] = []
    speeds: list[float] = []
    first = [0]
    for action, tags in enumerate(library.tags):
        own = range(int(actions.strike_start[action]), int(actions.strike_start[action + 1]))
        handled = tags.kind == "luggage" and tags.technique in (*_TAKES, *_GIVES)
        if handled and tags.position in PIECES and len(own) == 0:
            frame = _grip_frame(library, action)
            hand = "left_hand" if tags.side == "left" else "right_hand"
            rows.append([EFFECTORS.index(hand), frame, frame + 1, frame, frame])
            speeds.append(0.0)
        for k in own:
            rows.append([int(column[k]) for column in strikes[:5]])
            speeds.append(float(strikes.speed[k]))
        first.append(len(rows))
    table = np.array(rows, dtype=np.int64).reshape(-1, 5)
    effector, start, stop, peak, extension = (np.ascontiguousarray(column) for column in table.T)
    made = StrikeArrays(effector, start, stop, peak, extension, np.array(speeds))
    begins = np.array(first, dtype=actions.strike_start.dtype)
    return replace(library, actions=actions._replace(strike_start=begins), strikes=made)


def _grip_frame(library: ActionLibrary, action: int) -> int:
    """Hands are lowest where they take something from the floor, and farthest out where they pass it on."""
    start, stop = int(library.actions.start[action]), int(library.actions.stop[action])
    tags, skeleton = library.tags[action], library.skeleton
    sides = ("left", "right") if tags.side == "both" else (tags.side,)
    joints = [skeleton.joint(f"{side}_hand") for side in sides]
    hands = library.positions[start:stop, joints].mean(axis=1)
    if tags.technique in _FROM_FLOOR:
        return start + int(np.argmin(hands[:, 1]))
    pelvis = library.positions[start:stop, skeleton.joint("pelvis")]
    return start + int(np.argmax(np.hypot(*(hands - pelvis)[:, [0, 2]].T)))
