"""Luggage in a finished take: its place in every frame, and the hands on it.

A piece follows the hands that hold it. When it changes hands, is picked up or put down, the new hands are a
few centimetres off; that gap fades out, and the hands follow, so the receiver reaches for the real place.
"""

from collections.abc import Sequence
from typing import NamedTuple, cast

import numpy as np

from randori.graph.library import ActionLibrary
from randori.motion import rotations as rot
from randori.motion.clip import Clip
from randori.motion.easing import smooth_step
from randori.motion.inverse_kinematics import ARM_REACH, find_limb
from randori.motion.parts import SIDES
from randori.motion.skeleton import Skeleton
from randori.patches.handing import FISTS_APART, luggage_at
from randori.performer.luggage import PIECES
from randori.physics.limbs import bring

EASE = 0.4  # seconds in which hands come to where a piece is, and back to how they were recorded


class Grip(NamedTuple):
    """From this tick on, a character holds a piece, or it stands on the floor (no character)."""

    tick: int
    who: int
    hand: str  # left, right, both; nothing if it stands on the floor


class Carried(NamedTuple):
    """A piece of luggage and the characters that hold it."""

    way: np.ndarray  # (F, 4) metres and radians: x, y, z of its middle, and its yaw
    clips: list[Clip]  # of all characters, with their hands on the piece


class _Reach(NamedTuple):
    """The hands of a character are moved in some frames."""

    who: int
    hand: str
    frames: np.ndarray  # (K,)
    moves: np.ndarray  # (K, 4) as the piece between the hands is moved


def carry(piece: str, grips: Sequence[Grip], clips: Sequence[Clip], fps: float) -> Carried:
    """The place of a piece that goes from hand to hand, and all clips with their hands on it."""
    frames = len(clips[0])
    way = np.zeros((frames, 4))
    grips = [grip for grip in grips if grip.tick < frames]
    if not grips:
        return Carried(way, list(clips))
    half = 0.5 * PIECES[piece].size[1]
    ease = round(EASE * fps)
    reaches: list[_Reach] = []
    for number, grip in enumerate(grips):
        stop = grips[number + 1].tick if number + 1 < len(grips) else frames
        span = np.arange(grip.tick, stop)
        if not grip.hand:
            way[span] = way[grip.tick - 1]
            way[span, 1] = half
            continue
        before = grips[number - 1] if number else None
        after = grips[number + 1] if number + 1 < len(grips) else None
        # Step 1. Where these hands have it
        own = held(clips[grip.who], span, piece, grip.hand)
        if not PIECES[piece].both:
            own = _slid(own, _beside(span, ease, before is not None, after is not None and after.hand != ""))
        # Step 2. The gap to its last place
        missing = np.zeros(4)
        if before is None:
            missing[1] = half - own[0, 1]
            way[: grip.tick] = own[0] + missing
        else:
            missing = way[grip.tick - 1] - own[0]
            own[:, 3] += np.pi * np.round(missing[3] / np.pi)  # half a turn makes no difference to it
            missing[3] = rot.wrap_angle(2.0 * missing[3]) / 2.0
        # Step 3. The gap fades, and the hands follow; so does the gap to the floor
        moves = _fade(span - grip.tick, ease)[:, None] * missing
        if after is not None and not after.hand:
            down = np.array([0.0, half - own[-1, 1], 0.0, 0.0])
            moves += _fade(span - after.tick + 1, ease)[:, None] * down
            reaches.append(_reach(after.who, grip.hand, after.tick + np.arange(ease), down, after.tick, ease))
        way[span] = own + moves
        reaches.append(_Reach(grip.who, grip.hand, span, moves))
        reaches.append(
            _reach(grip.who, grip.hand, grip.tick - np.arange(ease, 0, -1), missing, grip.tick, ease)
        )
    return Carried(way, _reached(clips, reaches))


def held(clip: Clip, frames: np.ndarray, piece: str, hand: str) -> np.ndarray:
    """(K, 4) the place of a piece that is held in some frames of a clip."""
    pelvis = clip.skeleton.joint("pelvis")
    reference = rot.inverse(clip.skeleton.reference[pelvis])
    places = np.zeros((len(clip), 3))
    places[frames, 2] = rot.yaw(rot.multiply(clip.global_rotations[frames, pelvis], reference))
    shown = cast(ActionLibrary, _Shown(clip.skeleton, clip.positions, clip.global_rotations, places))
    rows = []
    for frame in frames.tolist():
        (x, z, yaw), height = luggage_at(shown, frame, piece, hand)
        rows.append((x, height, z, yaw))
    way = np.array(rows).reshape(-1, 4)
    way[:, 3] = np.unwrap(way[:, 3])
    return way


class _Shown(NamedTuple):
    """A clip as `luggage_at` looks at a library."""

    skeleton: Skeleton
    positions: np.ndarray
    global_rotations: np.ndarray
    placements: np.ndarray


def _fade(ticks: np.ndarray, ease: int) -> np.ndarray:
    """(K,) 1 in tick 0, less and less before and after it."""
    return 1.0 - smooth_step(np.clip(np.abs(ticks) / ease, 0.0, 1.0))


def _beside(span: np.ndarray, ease: int, taken: bool, given: bool) -> np.ndarray:
    """(K,) how far a fist is beside the middle of a handle, because another one is on it, too."""
    begun = _fade(span - span[0], ease) if taken else np.zeros(len(span))
    ending = _fade(span - span[-1] - 1, ease) if given else np.zeros(len(span))
    return np.maximum(begun, ending)


def _slid(own: np.ndarray, share: np.ndarray) -> np.ndarray:
    """(K, 4) a piece whose handle is moved forward through a fist."""
    moved = own.copy()
    moved[:, 0] += 0.5 * FISTS_APART * share * np.sin(own[:, 3])
    moved[:, 2] += 0.5 * FISTS_APART * share * np.cos(own[:, 3])
    return moved


def _reach(who: int, hand: str, frames: np.ndarray, missing: np.ndarray, tick: int, ease: int) -> _Reach:
    return _Reach(who, hand, frames, _fade(frames - tick, ease)[:, None] * missing)


def _reached(clips: Sequence[Clip], reaches: Sequence[_Reach]) -> list[Clip]:
    """All clips, with their hands moved."""
    moved = list(clips)
    for who, hand, frames, moves in reaches:
        inside = (frames >= 0) & (frames < len(clips[who])) & (np.abs(moves).max(axis=1) > 1e-6)
        if not inside.any():
            continue
        frames, moves = frames[inside], moves[inside]
        sides = SIDES if hand == "both" else (hand,)
        joints = [moved[who].skeleton.joint(f"{side}_hand") for side in sides]
        hands = moved[who].positions[frames][:, joints]
        middle = hands.mean(axis=1, keepdims=True)
        turned = middle + moves[:, None, :3] + rot.rotate(rot.from_yaw(moves[:, 3])[:, None], hands - middle)
        for number, side in enumerate(sides):
            target, weight = np.zeros((len(moved[who]), 3)), np.zeros(len(moved[who]))
            target[frames], weight[frames] = turned[:, number], 1.0
            arm = find_limb(moved[who].skeleton, f"{side}_arm")
            moved[who] = bring(moved[who], arm, target, weight, ARM_REACH)
    return moved
