"""Repairs short faults of a recording: a spike is bridged from the frames beside it."""

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from randori.capture.actions import Problem
from randori.motion import rotations as rot
from randori.motion.clip import Clip

_LONGEST_SPIKE = 0.15  # seconds: a longer fault is no spike
_STAYING_DISTANCE = 0.25  # metres that the root may have got on meanwhile: more is a cut, not a spike


def repaired(clip: Clip, problems: Sequence[Problem]) -> Clip:
    """The clip without the spikes among its problems; the clip itself if there are none."""
    root, rotations, count = clip.root_position.copy(), clip.rotations.copy(), 0
    for problem in problems:
        if problem.what != "glitch" or problem.frames is None:
            continue
        before, after = problem.frames[0] - 1, problem.frames[1]
        inside = before >= 0 and after < len(clip) and after - before <= _LONGEST_SPIKE * clip.fps + 2
        if not inside or np.linalg.norm(root[after] - root[before]) > _STAYING_DISTANCE:
            continue
        share = np.arange(1, after - before) / (after - before)
        root[before + 1 : after] = root[before] + share[:, None] * (root[after] - root[before])
        for joint in range(rotations.shape[1]):
            rotations[before + 1 : after, joint] = rot.slerp(
                np.tile(rotations[before, joint], (len(share), 1)),
                np.tile(rotations[after, joint], (len(share), 1)),
                share,
            )
        count += 1
    if count == 0:
        return clip
    notes = (*clip.source.notes, f"{count} {'spike was' if count == 1 else 'spikes were'} bridged")
    return clip.with_frames(root, rotations, source=replace(clip.source, notes=notes))
