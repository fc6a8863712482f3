"""Records that patches are worked out and composed with: what is recorded, what is asked for, what is found.

`Motions` and `Pattern` are fixed while patterns are expanded, `Path` changes, `Found` is written.
"""

from typing import NamedTuple

import numpy as np

from randori.kernels.places import PLACE

# -- what is recorded ------------------------------------------------------------------------------------

FRAME = np.dtype(
    [
        ("pelvis", PLACE),
        ("facing", np.float64),  # radians, where the head looks
        ("height", np.float64),  # metres, of the pelvis
        ("reach", np.float64),  # metres over the floor from the pelvis to the farthest of the body
    ],
    align=True,
)
ACTION = np.dtype(
    [
        ("first", np.int64),  # frame
        ("stop", np.int64),  # frame, its last
        ("start_posture", np.int64),  # -1 for what the graph does not have
        ("end_posture", np.int64),
        ("load", np.int64),  # the load and its hands; -1 for nothing
        ("first_strike", np.int64),
        ("stop_strike", np.int64),  # after its last
        ("entry", PLACE),  # of its first posture in the recording, see graph/action_graph.py
        ("leaving", PLACE),  # of its last posture
    ],
    align=True,
)
STRIKE = np.dtype(
    [
        ("first", np.int64),  # frame in which it can land
        ("stop", np.int64),  # frame after the last
        ("capsule", np.int64),  # that strikes
        ("extension", np.int64),  # frame in which it is stretched most
    ],
    align=True,
)
CAPSULE = np.dtype(
    [
        ("half", np.float64),  # metres, half of its length
        ("radius", np.float64),  # metres; negative if the body has no such capsule
    ],
    align=True,
)


class Motions(NamedTuple):
    """All recordings: F frames, A actions, S strikes. Characters come first, then the mouse."""

    body: np.ndarray  # (F, 16, 2, 3) float32 metres, both ends of the capsules as recorded
    frames: np.ndarray  # (F,) FRAME
    actions: np.ndarray  # (A,) ACTION
    strikes: np.ndarray  # (S,) STRIKE
    capsules: np.ndarray  # (2, 16) CAPSULE, of a character and of the mouse
    masses: np.ndarray  # (16,) kilograms that stand behind a capsule
    tick: float  # seconds
    widest: float  # metres, the longest reach of all frames


# -- what is asked for -----------------------------------------------------------------------------------

NO_THREAT, STRIKES, WITH_BODY = range(3)  # how a move can touch the other character: not, in a window, always
MOVE = np.dtype(
    [
        ("role", np.int64),  # 0 or 1, of the character that does it
        ("response", np.bool_),  # it answers a touch
        ("threat", np.int64),  # NO_THREAT, STRIKES or WITH_BODY
        ("answers", np.int64),  # row of the pattern's answers
        ("defends", np.bool_),
    ],
    align=True,
)
ANSWER = np.dtype(
    [
        ("action", np.int64),  # -1 if nothing answers
        ("first", np.int64),  # frame that it is entered at
    ],
    align=True,
)
DIRECTIONS = 8  # that a blow is sorted into, by where it drives the body as the body sees it
# Rows of `allowed`: which capsules may be in each other. After the last come four rows for each role, by the
# limb that has struck.
USUAL, BLOCKED_BY_SECOND, BLOCKED_BY_FIRST, TOUCHING, AFTER_STRIKE = range(5)


class Limits(NamedTuple):
    """Limits of a pattern, and the preferences that score its patches."""

    nearest: float  # metres between two characters that stand
    impulse: float  # newton seconds that a touch needs
    contact_ticks: int  # for which bodies may stay in touch after a blow
    pass_by: float  # metres at which a threat that misses is no threat any more
    distance: float  # metres between the two that look best
    threshold: float  # score that a patch needs
    contact_weight: float
    relation_weight: float
    timing_weight: float


class Pattern(NamedTuple):
    """A pattern of n moves of two characters, roles 0 and 1, and the samples that it begins with."""

    moves: np.ndarray  # (n,) MOVE
    opening: np.ndarray  # (2,) int64, the first move of each role
    enter: np.ndarray  # (2,) share of the first action of each role that is left out
    option_start: np.ndarray  # (n, P + 1) int64: a move can go on from a posture with
    options: np.ndarray  # (K,) int64, these actions
    answers: np.ndarray  # (W, F, DIRECTIONS) ANSWER
    capsules: np.ndarray  # (2, 16) CAPSULE, of the two roles
    allowed: np.ndarray  # (AFTER_STRIKE + 8, 16, 16) metres that capsules may be in each other
    nothing_allowed: np.ndarray  # (16, 16) zeros
    limits: Limits
    distances: np.ndarray  # (R,) metres
    first_bearings: np.ndarray  # (B,) radians
    second_bearings: np.ndarray  # (C,) radians
    delays: np.ndarray  # (D,) int64 ticks


class Sample(NamedTuple):
    """The arrangement of two characters as a patch begins."""

    distance: float  # metres
    first_bearing: float  # radians, where the first sees the second
    second_bearing: float  # radians, where the second sees the first
    delay: int  # ticks by which the second begins later


# -- what is tried ---------------------------------------------------------------------------------------

STEP = np.dtype(
    [
        ("action", np.int64),
        ("first", np.int64),  # frame
        ("start", np.int64),  # tick
        ("stop", np.int64),  # tick, its last
        ("forced", np.int64),  # 1 if it answers a touch
        ("place", PLACE),  # where its recording goes
    ],
    align=True,
)
BLOW = np.dtype(
    [
        ("tick", np.int64),  # of the touch, or in which a threat passes most closely
        ("capsule", np.int64),  # that strikes or pushes
        ("part", np.int64),  # capsule that it meets
        ("strength", np.float64),  # m/s of a strike, newton seconds of a push, metres of a miss
        ("x", np.float64),  # metres, where it meets
        ("y", np.float64),
        ("z", np.float64),
        ("way_x", np.float64),  # where it drives the body, over the floor
        ("way_z", np.float64),
    ],
    align=True,
)
LEVEL = np.dtype(
    [
        ("current", np.int64, (2,)),  # the move that each role is in; -1 before its first
        ("clock", np.int64),  # tick from which on nothing has been looked at
        ("meant_until", np.int64),  # tick until which bodies may touch as
        ("meant_row", np.int64),  # this row of `allowed` says
        ("struck", np.int64),  # the move that has struck already, or -1
        ("option", np.int64),  # the next of the options that is tried; ARRIVED before they are known
        ("last_option", np.int64),  # after the last
    ],
    align=True,
)
ARRIVED = -1


class Path(NamedTuple):
    """A path through the tree of a pattern: with L moves placed, row L holds them."""

    steps: np.ndarray  # (n + 1, n) STEP
    levels: np.ndarray  # (n + 1,) LEVEL
    blows: np.ndarray  # (n,) BLOW, the touch that started the answer that a move is
    rating: np.ndarray  # (1,) RATING, of the last patch that was completed


# -- what is found ---------------------------------------------------------------------------------------

RATING = np.dtype(
    [
        ("score", np.float64),  # 0 to 1, the weighted mean of the others
        ("contact", np.float64),  # 0 to 1
        ("relation", np.float64),  # 0 to 1
        ("timing", np.float64),  # 0 to 1
    ],
    align=True,
)
SAMPLE = np.dtype(
    [
        ("distance", np.float64),  # as Sample
        ("first_bearing", np.float64),
        ("second_bearing", np.float64),
        ("delay", np.float64),
    ],
    align=True,
)
# Outcomes of a path; entries of `tally`.
(TRIED, ORDER, CLOSE, COLLISION, STRUCK, NO_CONTACT, LATE, DEAD_END, POOR, KEPT) = range(10)
REASONS = 10


class Found(NamedTuple):
    """Room for K patches of n moves, and the count of all ways in which paths have ended."""

    steps: np.ndarray  # (K, n) STEP
    blows: np.ndarray  # (K, n) BLOW
    ratings: np.ndarray  # (K,) RATING
    samples: np.ndarray  # (K,) SAMPLE
    tally: np.ndarray  # (REASONS,) int64


def make_path(moves: int) -> Path:
    """Room for the paths of a pattern."""
    return Path(
        np.zeros((moves + 1, moves), STEP),
        np.zeros(moves + 1, LEVEL),
        np.zeros(moves, BLOW),
        np.zeros(1, RATING),
    )


def make_found(most: int, moves: int) -> Found:
    """Room for patches."""
    return Found(
        np.zeros((most, moves), STEP),
        np.zeros((most, moves), BLOW),
        np.zeros(most, RATING),
        np.zeros(most, SAMPLE),
        np.zeros(REASONS, dtype=np.int64),
    )
