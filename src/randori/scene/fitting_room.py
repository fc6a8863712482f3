"""A first look at your own characters: each in a T-pose and in some actions, beside the mannequin."""

from collections.abc import Generator, Sequence

import numpy as np
from PIL import Image

from randori.characters.bringing import bring_onto
from randori.characters.character import Character
from randori.motion import rotations as rot
from randori.motion.clip import Clip
from randori.motion.details import FIST
from randori.performer import performing
from randori.render.sheet import compare_sheet
from randori.work import part

_SECONDS = 16.0  # length of the shadow boxing in which all of the actions below occur
_SEED = 4
_SHOWN_ACTIONS = ("attack by hand", "attack by foot", "defence")  # one action of each kind
_CELL = (240, 260)


def character_sheet(characters: Sequence[Character]) -> Generator[float, None, Image.Image]:
    """A row for the mannequin and one for each character: the T and three actions of the performer."""
    recording = (yield from part(performing("boxing", _SECONDS, _SEED), 0.0, 0.5))[0]
    shown: dict[str, tuple[str, int]] = {}
    for action in recording.truth.actions:
        kind = action.kind
        if kind == "attack":
            kind = f"{kind} by {action.effector.rpartition('_')[2]}"
        if kind in _SHOWN_ACTIONS and kind not in shown:
            middle = (action.start + action.stop) // 2
            impact = middle if action.impact is None else round(action.impact * recording.clip.fps)
            shown[kind] = action.technique, impact
    frames = [frame for _, frame in shown.values()]
    mannequin = ("mannequin", [_row(recording.clip, frames)], list(range(len(frames) + 1)))
    rows, bodies = [mannequin], [None]
    for number, character in enumerate(characters):
        moved = bring_onto(recording.clip, character.skeleton, curl=FIST)
        rows.append((character.name, [_row(moved, frames)], list(range(len(frames) + 1))))
        bodies.append([character])  # type: ignore[arg-type]
        yield 0.5 + 0.4 * (number + 1) / len(characters)
    return compare_sheet(
        rows,
        cell=_CELL,
        bodies=bodies,
        title=" · ".join(["T", *(technique for technique, _ in shown.values())]),
    )


def _row(clip: Clip, frames: Sequence[int]) -> Clip:
    """The T, and some frames of a clip in one place, all looking the same way; one a second."""
    skeleton = clip.skeleton
    root, rotations = (
        np.array([rows[frame] for frame in frames]) for rows in (clip.root_position, clip.rotations)
    )
    some = clip.with_frames(root, rotations)
    turn = rot.from_yaw(-some.heading("pelvis"))
    pelvis = some.positions[:, skeleton.joint("pelvis")] * np.array([1.0, 0.0, 1.0])
    rotations[:, 0] = rot.multiply(turn, rotations[:, 0])
    places, turned = skeleton.reference_pose
    return clip.with_frames(
        np.concatenate([places[:1], rot.rotate(turn, root - pelvis)]),
        np.concatenate([skeleton.to_local(turned)[None], rotations]),
        fps=1.0,
    )
