"""Contacts that must hold: what strikes is on the surface that it strikes, in the tick in which it does."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np
from numpy.typing import ArrayLike

from randori.body.capsules import CAPSULES, fit
from randori.graph.joining import Walk
from randori.kernels.contact import nearest_points
from randori.motion import rotations as rot
from randori.motion.clip import Clip
from randori.motion.easing import smooth_step
from randori.motion.inverse_kinematics import ARM_REACH, find_limb
from randori.motion.parts import SIDES
from randori.physics.limbs import bring
from randori.timeline.timeline import Event

INSIDE = 0.002  # metres: it touches
FARTHEST = 0.12  # metres that a limb is stretched by, or drawn back
# shares of that in the frames up to the hit, and after it: sooner, as the struck body goes back
REACHING = np.sin(0.5 * np.pi * np.arange(1, 6) / 5.0) ** 2
LETTING_GO = np.cos(0.5 * np.pi * np.arange(1, 3) / 3.0) ** 2
_TRIES = 3
_LEVER = 0.3  # of a blade, from the hand: nearer to it turning does not help
_TOLERANCE = 0.0005  # metres from where it should be
_GRIP, _LOOSE = 0.26, 0.08  # metres between the wrists: two hands on a hilt, and from there on less and less
_AT_ALL = 1e-6  # metres: moved
_BROUGHT_SHARE = 0.5  # of what is missing
_SHORT_DISTANCE = 0.002  # metres that the left hand may be off it
_LIMBS = {"hand": "arm", "forearm": "arm", "foot": "leg", "shin": "leg"}


def keep_contacts(walks: Sequence[Walk], blows: Sequence[Event]) -> list[Walk]:
    """The walks, in which every blow is neither short of its target nor through its surface."""
    walks = list(walks)
    for event in blows:
        for _ in range(_TRIES):
            gap, share, way = _gap([walks[who].clip for who in (event.who, event.whom)], event)
            if -2.0 * INSIDE <= gap <= -INSIDE + _TOLERANCE or not -FARTHEST < gap < FARTHEST:
                break
            clip, move = walks[event.who].clip, (gap + 1.5 * INSIDE) * way
            held = np.ones((len(clip), 2))
            if event.what == "weapon":
                held = grip(clip)
                blade = _blade(clip)[event.tick]
                turning = by_turning(blade, share, move)
                clip = _turned(clip, event.tick, np.cross(blade, turning) / (blade @ blade))
                move = move - share * turning
            for limb, side in _moved_with(event.what):
                clip = _reached(clip, limb, event.tick, move, held[:, side])
            walks[event.who] = replace(walks[event.who], clip=clip)
    return walks


def by_turning(blade: ArrayLike, share: float, move: np.ndarray) -> np.ndarray:
    """(…, 3) metres that the tip of a blade (3,) is to move, so that its point at a share of it moves by so
    much, as far as turning it can do that: across, and not near the hilt."""
    along = np.asarray(blade) / np.linalg.norm(blade)
    across = move - (move @ along)[..., None] * along
    return across / share if share > _LEVER else np.zeros_like(across)


def grip(clip: Clip) -> np.ndarray:
    """(F, 2) 1 where the left hand, and the right one, is on a weapon: the right one holds it."""
    found = np.zeros((len(clip), 2))
    if "weapon" in clip.skeleton.parts:
        hands = [clip.positions[:, clip.skeleton.joint(f"{side}_hand")] for side in SIDES]
        apart = np.linalg.norm(hands[0] - hands[1], axis=-1)
        found[:, 0] = smooth_step((_GRIP - apart) / _LOOSE + 1.0)
        found[:, 1] = 1.0
    return found


def keep_grip(before: Clip, after: Clip) -> Clip:
    """A clip after refinement, in which the left hand is where it was on the weapon of the right one.

    Where the left arm is too short for that, the right one brings the weapon, some of the way: it was pushed
    off its own for a reason.
    """
    held = grip(before)[:, 0]
    if not held.any():
        return after
    arms = [find_limb(before.skeleton, f"{side}_arm") for side in SIDES]
    hilt = _on_hilt(before, after)
    off = np.linalg.norm(after.positions[:, arms[0].end] - hilt, axis=-1) > _AT_ALL
    after = bring(after, arms[0], hilt, held * off, ARM_REACH)
    missing = after.positions[:, arms[0].end] - _on_hilt(before, after)
    short = held * (np.linalg.norm(missing, axis=-1) > _SHORT_DISTANCE)
    return bring(after, arms[1], after.positions[:, arms[1].end] + _BROUGHT_SHARE * missing, short, ARM_REACH)


def _on_hilt(before: Clip, after: Clip) -> np.ndarray:
    """(F, 3) metres: where the left hand was on the weapon of the right one, now that this is elsewhere."""
    left, right = (before.skeleton.joint(f"{side}_hand") for side in SIDES)
    own = rot.rotate(
        rot.inverse(before.global_rotations[:, right]), before.positions[:, left] - before.positions[:, right]
    )
    return after.positions[:, right] + rot.rotate(after.global_rotations[:, right], own)


def _moved_with(what: str) -> list[tuple[str, int]]:
    """The limbs that move a striking capsule, and their sides."""
    if what == "weapon":
        return [("right_arm", 1), ("left_arm", 0)]
    side, _, part = what.partition("_")
    return [(f"{side}_{_LIMBS[part]}", SIDES.index(side))]


def _gap(clips: Sequence[Clip], event: Event) -> tuple[float, float, np.ndarray]:
    """Metres from what strikes to what it strikes (negative: inside), where along it from 0 to 1, and the way
    (3,) there."""
    ends, radii = [], []
    for clip, part in zip(clips, (event.what, event.part)):
        body, capsule = fit(clip.skeleton), CAPSULES.index(part)
        when = slice(event.tick, event.tick + 1)
        ends.append(body.place(clip.positions[when], clip.global_rotations[when])[0, capsule])
        radii.append(float(body.radii[capsule]))
    share, _, x, y, z = nearest_points(*ends[0].ravel(), *ends[1].ravel())
    apart = np.array([x, y, z])
    distance = max(float(np.linalg.norm(apart)), 1e-9)
    return distance - sum(radii), share, -apart / distance


def _blade(clip: Clip) -> np.ndarray:
    """(F, 3) metres from the hand that holds a weapon to its tip."""
    ends = fit(clip.skeleton).place(clip.positions, clip.global_rotations)
    tips: np.ndarray = ends[:, CAPSULES.index("weapon"), 1]
    return tips - clip.positions[:, clip.skeleton.joint("right_hand")]


def _turned(clip: Clip, tick: int, turn: np.ndarray) -> Clip:
    """A clip with the right hand turned by a rotation vector (3,) in a tick, eased about it."""
    hand = clip.skeleton.joint("right_hand")
    ease = _eased(tick, len(clip))
    rows = np.flatnonzero(ease)
    rotations = clip.rotations.copy()
    above = clip.global_rotations[rows, clip.skeleton.parents[hand]]
    moved = rot.multiply(rot.from_rotation_vector(ease[rows, None] * turn), clip.global_rotations[rows, hand])
    rotations[rows, hand] = rot.multiply(rot.inverse(above), moved)
    return clip.with_frames(clip.root_position, rotations)


def _eased(tick: int, frames: int) -> np.ndarray:
    """(F,) 1 in the tick of a hit, less and less before and after."""
    near = tick + np.arange(1 - len(REACHING), 1 + len(LETTING_GO))
    shown = (near >= 0) & (near < frames)
    ease = np.zeros(frames)
    ease[near[shown]] = np.concatenate([REACHING, LETTING_GO])[shown]
    return ease


def _reached(clip: Clip, name: str, tick: int, move: np.ndarray, share: np.ndarray) -> Clip:
    """A clip with the end of a limb moved by (3,) metres in a tick, eased about it, and by (F,) shares."""
    ease = _eased(tick, len(clip)) * share
    limb = find_limb(clip.skeleton, name)
    where = (ease > 0.0).astype(float)
    return bring(clip, limb, clip.positions[:, limb.end] + ease[:, None] * move, where)
