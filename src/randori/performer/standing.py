"""Feet that stand: held in place until they leave the floor, although the body moves."""

import numpy as np

from randori.motion import feet
from randori.motion import rotations as rot
from randori.motion.clip import Clip
from randori.motion.feet import PlantedPhase
from randori.motion.foot_locking import lock_feet

SLIP = 0.003  # metres that a foot may move while it stands
HOLDS = 14  # times at most: beside a foot that is held still, frames are found in which it hardly moves
LET_GO = 0.12  # seconds in which a foot leaves the place where it was held
SHORTEST = 0.06  # seconds that a foot is held at least
UP = 0.7  # of the leg's length that the hips are high while feet can carry


def feet_held(clip: Clip) -> Clip:
    """The clip without slips: of feet that a fall drags along, or that hover low and slow in a step."""
    quiet = 0
    for number in range(HOLDS):
        # a foot goes on standing while the hips sink: with that and without it different frames are held
        contacts = feet.foot_contacts(clip) & _on_feet(clip, LET_GO if number % 2 == 0 else 0.0)[:, None]
        phases, slides = feet.planted_phases(contacts), feet.foot_slide(clip, contacts)
        slipping = [phase for phase, slide in zip(phases, slides) if slide > SLIP]
        quiet = 0 if slipping else quiet + 1
        if quiet == 2:
            break
        if not slipping:
            continue
        near, shortest = int(2.0 * LET_GO * clip.fps), int(SHORTEST * clip.fps) + 1
        held, changed = np.zeros_like(contacts), np.zeros(len(clip), dtype=bool)
        for phase in phases:
            if any(_close(phase, other, near) for other in slipping):
                # where hips come down a phase may end after a frame or two: too short to be held alone
                start = min(phase.start, max(phase.stop - shortest, 0))
                held[start : phase.stop, phase.foot] = True
                changed[max(start - 2 * near, 0) : phase.stop + 2 * near] = True
        root, rotations = clip.root_position.copy(), clip.rotations.copy()
        edges = np.flatnonzero(np.diff(np.concatenate([[0], changed.astype(np.int8), [0]])))
        for first, last in edges.reshape(-1, 2):
            window = slice(first, last)
            locked = lock_feet(clip.with_frames(root[window], rotations[window]), held[window], ease=LET_GO)
            root[window], rotations[window] = locked.root_position, locked.rotations
        clip = clip.with_frames(root, rot.unroll(rotations))
    return clip


def _close(phase: PlantedPhase, other: PlantedPhase, near: int) -> bool:
    """Whether letting go of one phase could reach into the other."""
    return phase.foot == other.foot and phase.start < other.stop + near and other.start < phase.stop + near


def _on_feet(clip: Clip, after: float) -> np.ndarray:
    """(F,) bool: the hips are so high that feet carry the body, or were so many seconds ago."""
    high = clip.positions[:, clip.skeleton.joint("pelvis"), 1] > UP * feet.leg_length(clip)
    carried: np.ndarray = np.convolve(high, np.ones(int(after * clip.fps) + 1))[: len(high)] > 0.5
    return carried
