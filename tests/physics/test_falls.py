"""Who is felled goes down where the blow drives, and ends lying, still, on the floor."""

import numpy as np
import pytest

from randori.body import mannequin
from randori.capture.analysis import analyse
from randori.graph.joining import Walk
from randori.graph.library import ActionLibrary, build_library
from randori.motion.clip import Clip
from randori.motion.placement import Placement
from randori.performer import perform
from randori.physics.refine import Refined, refining
from randori.timeline.bake import bake_timeline
from randori.timeline.timeline import CHOSEN, FORCED, Event, Placed, Timeline, Track
from randori.work import finish

STANDING = 40  # ticks until somebody is felled
LYING = 3  # frames after the fall: its last ones still come to rest
AWAY = 2.2  # metres to the striker: farther than a fall goes, for nobody falls over it here


@pytest.fixture(scope="module")
def library() -> ActionLibrary:
    recordings = perform("reactions", 60.0, seed=2)
    return build_library([(recording.clip, analyse(recording.clip)) for recording in recordings])


@pytest.fixture(scope="module")
def falls(library: ActionLibrary) -> list[int]:
    """Falls to the floor: who catches itself stumbles on."""
    kinds = [tags.kind for tags in library.tags]
    lying = [tags.technique == "lie" for tags in library.tags]
    found = [action for action, kind in enumerate(kinds[:-1]) if kind == "fall" and lying[action + 1]]
    assert len(found) >= 4
    return found


def felled(library: ActionLibrary, fall: int) -> tuple[Timeline, list[Walk], list[Refined]]:
    """Somebody who stands, is struck and falls; who struck stands by."""
    first, stop = int(library.actions.start[fall]), int(library.actions.stop[fall])
    recorded = library.clips[int(library.frames.clip[first])]
    start = max(first - STANDING, recorded.start)
    ticks = stop - 1 - start + LYING
    here = Placement(*library.placements[first]).inverse()
    victim = (
        Placed(-1, start, 0, first - start, here, CHOSEN),
        Placed(fall, first, first - start, ticks, here, FORCED),
    )
    standing = int(library.actions.start[0])
    opposite = Placement(*library.placements[standing]).inverse().then(Placement(0.0, AWAY, np.pi))
    bystander = (Placed(-1, standing, 0, ticks, opposite, CHOSEN),)
    hit = Event(first - start, "hit", 0, 1, "right_hand", "head", 8.0)
    tracks = (Track("Ann", library, bystander), Track("Ben", library, victim))
    timeline = Timeline(library.fps, ticks, tracks, (hit,))
    walks = finish(bake_timeline(timeline))
    return timeline, walks, finish(refining(timeline, walks))


def lowest(clip: Clip) -> np.ndarray:
    body = mannequin.fit(clip.skeleton)
    starts, stops = body.place(clip.positions, clip.global_rotations)
    return np.minimum(
        (starts[..., 1] - body.start_radii).min(axis=1), (stops[..., 1] - body.stop_radii).min(axis=1)
    )


def test_a_fall_ends_lying_still_on_the_floor(library: ActionLibrary, falls: list[int]):
    for fall in falls[:4]:
        _, _, refined = felled(library, fall)
        clip = refined[1].walk.clip
        assert clip.positions[-1, clip.skeleton.joint("pelvis"), 1] < 0.35
        assert clip.positions[-1, clip.skeleton.joint("head"), 1] < 0.5
        speed = np.linalg.norm(clip.positions[-4:] - clip.positions[-5:-1], axis=-1) * clip.fps
        assert speed.max() < 0.5
        assert np.median(speed) < 0.05
        low = lowest(clip)
        assert low.min() > -0.01
        assert low[-1] < 0.03  # on the floor, not over it
