"""Bodies that the tests of this room put into each other's way."""

from functools import cache

import numpy as np

from randori.graph.joining import Walk
from randori.motion.clip import Clip
from randori.motion.placement import Placement
from randori.performer import perform

FPS = 60.0


@cache
def standing_still(frames: int, turned: float = 0.0) -> Clip:
    """Somebody in guard at the origin who does not move and looks along +Z, or is turned by radians."""
    clip = perform("boxing", 5.0, seed=3)[0].clip
    root, rotations = clip.root_position[:1].copy(), clip.rotations[:1]
    root[:, [0, 2]] = 0.0
    still = clip.with_frames(np.repeat(root, frames, axis=0), np.repeat(rotations, frames, axis=0), fps=FPS)
    return Placement(0.0, 0.0, turned - float(still.heading()[0])).move(still)


def walk_of(clip: Clip, contacts: np.ndarray | None = None) -> Walk:
    """A clip as a walk without joins; both feet stand in every frame unless contacts (F, 2) say otherwise."""
    nothing = np.full(len(clip), -1, dtype=np.int64)
    contacts = np.ones((len(clip), 2), dtype=bool) if contacts is None else contacts
    return Walk(clip, np.arange(len(clip)), nothing, np.zeros(0, dtype=np.int64), contacts)
