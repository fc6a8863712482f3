"""A library on the body of a character: every action at its own stride and reach."""

from dataclasses import replace
from functools import lru_cache

import numpy as np

from randori.characters.bringing import bring_onto
from randori.graph.library import EFFECTORS, ActionLibrary, displacements
from randori.motion.details import FIST, RELAXED
from randori.motion.retargeting import standing_ball_level
from randori.motion.skeleton import Skeleton


@lru_cache(maxsize=8)  # several of a cast may be the same character
def library_on(library: ActionLibrary, skeleton: Skeleton) -> ActionLibrary:
    """The same actions, strikes and tags on another skeleton."""
    level = standing_ball_level(library.skeleton)
    striking = {EFFECTORS[effector] for effector in library.strikes.effector.tolist()}
    curl = FIST if striking & {"left_hand", "right_hand", "weapon"} else RELAXED
    roots, rotations = [], []
    for clip in library.clips:
        moved = bring_onto(library.clip(clip.start, clip.stop - 1), skeleton, level, curl=curl)
        roots.append(moved.root_position)
        rotations.append(moved.rotations)
    frames = library.frames._replace(root_position=np.concatenate(roots), rotations=np.concatenate(rotations))
    actions = library.actions
    moved_by = displacements(skeleton, frames, actions.start, actions.stop)
    return replace(library, skeleton=skeleton, frames=frames, actions=actions._replace(displacement=moved_by))
