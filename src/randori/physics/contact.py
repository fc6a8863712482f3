"""Contacts that must hold: what strikes is on the surface that it strikes, in the tick in which it does."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from randori.body.capsules import CAPSULES, fit
from randori.graph.joining import Walk
from randori.kernels.contact import nearest_points
from randori.motion.clip import Clip
from randori.motion.inverse_kinematics import find_limb, solve_limb
from randori.timeline.timeline import Event

INSIDE = 0.002  # metres: it touches
FARTHEST = 0.05  # metres that a limb is stretched by, or drawn back
# shares of that in the frames up to the hit, and after it: sooner, as what is struck goes back
REACHING = np.sin(0.5 * np.pi * np.arange(1, 6) / 5.0) ** 2
LETTING_GO = np.cos(0.5 * np.pi * np.arange(1, 3) / 3.0) ** 2
_TRIES = 3
_CLOSE = 0.0005  # metres from where it should be
_LIMBS = {"hand": "arm", "forearm": "arm", "foot": "leg", "shin": "leg"}


def keep_contacts(walks: Sequence[Walk], blows: Sequence[Event]) -> list[Walk]:
    """The walks, in which every blow is neither short of its target nor through its surface."""
    walks = list(walks)
    for event in blows:
        for _ in range(_TRIES):
            gap, way = _gap([walks[who].clip for who in (event.who, event.whom)], event)
            if -2.0 * INSIDE <= gap <= -INSIDE + _CLOSE or not -FARTHEST < gap < FARTHEST:
                break
            clip = _reached(walks[event.who].clip, event, (gap + 1.5 * INSIDE) * way)
            walks[event.who] = replace(walks[event.who], clip=clip)
    return walks


def limb_of(what: str) -> str:
    """The limb that moves a striking capsule."""
    side, _, part = what.partition("_")
    return f"{side}_{_LIMBS[part]}" if part in _LIMBS else "right_arm"


def _gap(clips: Sequence[Clip], event: Event) -> tuple[float, np.ndarray]:
    """Metres from what strikes to what it strikes (negative: inside), and the way (3,) there."""
    ends, radii = [], []
    for clip, part in zip(clips, (event.what, event.part)):
        body, capsule = fit(clip.skeleton), CAPSULES.index(part)
        when = slice(event.tick, event.tick + 1)
        ends.append(body.place(clip.positions[when], clip.global_rotations[when])[0, capsule])
        radii.append(float(body.radii[capsule]))
    *_, x, y, z = nearest_points(*ends[0].ravel(), *ends[1].ravel())
    apart = np.array([x, y, z])
    distance = max(float(np.linalg.norm(apart)), 1e-9)
    return distance - sum(radii), -apart / distance


def _reached(clip: Clip, event: Event, move: np.ndarray) -> Clip:
    """A clip with the end of the striking limb moved by (3,) metres in the tick of the hit, eased about."""
    frames = event.tick + np.arange(1 - len(REACHING), 1 + len(LETTING_GO))
    shown = (frames >= 0) & (frames < len(clip))
    share, frames = np.concatenate([REACHING, LETTING_GO])[shown, None], frames[shown]
    limb = find_limb(clip.skeleton, limb_of(event.what))
    rotations = clip.rotations.copy()
    rotations[frames] = solve_limb(
        clip.skeleton,
        clip.positions[frames],
        clip.global_rotations[frames],
        clip.rotations[frames],
        limb,
        clip.positions[frames, limb.end] + share * move,
    )
    return clip.with_frames(clip.root_position, rotations)
