"""Copies of actions that turn: how far, how well, and that they stay what they were."""

from pathlib import Path

import numpy as np
import pytest

from randori.capture.analysis import analyse
from randori.formats import load
from randori.graph.library import ActionLibrary, build_library
from randori.graph.library_file import read, write
from randori.graph.similarity import distances_from, poses_of
from randori.graph.turning import with_turns
from randori.motion.feet import foot_slide
from randori.performer import perform
from shared import made_once

FASTEST = 400.0  # degrees per second, of a pelvis


@pytest.fixture(scope="module")
def fighter() -> ActionLibrary:
    """A boxer who is also hit."""

    def make() -> ActionLibrary:
        takes = perform("boxing", 90.0, seed=3) + perform("reactions", 90.0, seed=3)
        return build_library([(take.clip, analyse(take.clip)) for take in takes])

    return made_once("graph-turning", make)


@pytest.fixture(scope="module")
def turned(fighter: ActionLibrary) -> ActionLibrary:
    return with_turns(fighter)


def _copies(library: ActionLibrary, turned: ActionLibrary) -> range:
    return range(len(library), len(turned))


def _turn(library: ActionLibrary, action: int) -> float:
    """Degrees that the pelvis turns."""
    frames = slice(int(library.actions.start[action]), int(library.actions.stop[action]) + 1)
    yaw = np.unwrap(library.placements[frames, 2])
    return float(np.degrees(yaw[-1] - yaw[0]))


def _source(library: ActionLibrary, turned: ActionLibrary, action: int) -> tuple[int, int]:
    """The frames of the library, first and last, that a copy was made of."""
    clip = turned.clips[int(turned.actions.clip[action])]
    recorded = next(one for one in library.clips if one.name == clip.name)
    shown = turned.frames.source_frame[[turned.actions.start[action], turned.actions.stop[action]]]
    there = library.frames.source_frame[recorded.start : recorded.stop]
    first = int(recorded.start + np.searchsorted(there, shown[0]))
    length = int(turned.actions.stop[action] - turned.actions.start[action])
    if abs(int(shown[1] - shown[0]) * turned.fps / recorded.fps - length) > 2.0:
        return first, int(recorded.start + np.searchsorted(there, shown[1]))  # it was slowed down
    # slow cameras have fewer frames than the library: the nearest pose is the one
    near = np.arange(first - 1, first + 2)
    poses = poses_of(turned, np.append(near, turned.actions.start[action]))
    first = int(near[np.argmin(distances_from(poses, 3)[:3])])
    return first, first + length


def _check_bodies(library: ActionLibrary, turned: ActionLibrary) -> None:
    """Every copy starts and ends as its source; on the way feet stand and joints are calm."""
    for action in _copies(library, turned):
        first, last = int(turned.actions.start[action]), int(turned.actions.stop[action])
        from_frame, to_frame = _source(library, turned, action)
        for here, there in ((first, from_frame), (last, to_frame)):
            assert distances_from(poses_of(turned, np.array([here, there])), 0)[1] < 0.03
        clip, contacts = turned.clip(first, last), turned.frames.contacts[first : last + 1]
        if last - first == to_frame - from_frame:  # not slowed down
            source = library.clip(from_frame, to_frame)
            assert (foot_slide(clip, contacts) - foot_slide(source, contacts)).max(initial=0.0) < 0.021
            limit = np.maximum(
                library.usual_acceleration, 1.1 * library.accelerations[from_frame : to_frame + 1]
            )
            assert (turned.accelerations[first : last + 1] <= limit).all()
            assert np.abs(clip.root_position[:, 1] - source.root_position[:, 1]).max() < 0.055
        assert turned.accelerations[first : last + 1].max() <= library.accelerations.max()


def test_there_are_turns_to_either_side(fighter: ActionLibrary, turned: ActionLibrary):
    made: dict[str, set[int]] = {}
    for action in _copies(fighter, turned):
        tags = turned.tags[action]
        made.setdefault(tags.technique, set()).add(45 * round(_turn(turned, action) / 45.0))
    assert made["stagger"] >= {45, 90, 135, -45, -90, -135}
    assert made["turn left"] >= {90, 135}
    assert made["turn right"] >= {-90, -135}
    assert made["step back"] >= {45, -45}
    assert "recoil" not in made  # nobody steps in it
    assert "jab" not in made


def test_what_was_there_stays(fighter: ActionLibrary, turned: ActionLibrary):
    frames = len(fighter.frames.clip)
    for before, after in zip(fighter.frames, turned.frames):
        assert np.array_equal(before, after[:frames])
    for before, after in zip(fighter.actions, turned.actions):
        assert np.array_equal(before, after[: len(before)])
    assert turned.tags[: len(fighter)] == fighter.tags
    assert frames < len(turned.frames.clip) < 1.4 * frames


def test_copies_name_their_source_and_strike_nobody(fighter: ActionLibrary, turned: ActionLibrary):
    names = {clip.name for clip in fighter.clips}
    for action in _copies(fighter, turned):
        clip = turned.clips[int(turned.actions.clip[action])]
        assert clip.name in names
        assert clip.start <= turned.actions.start[action] < turned.actions.stop[action] < clip.stop
        assert turned.actions.strike_start[action] == turned.actions.strike_start[action + 1]


def test_bodies_can_do_it(fighter: ActionLibrary, turned: ActionLibrary):
    _check_bodies(fighter, turned)
    for action in _copies(fighter, turned):
        frames = slice(int(turned.actions.start[action]), int(turned.actions.stop[action]) + 1)
        if turned.frames.root_position[frames, 1].min() > 0.6:  # a body that rolls has no yaw
            yaw = np.unwrap(turned.placements[frames, 2])
            assert np.abs(np.diff(yaw)).max() * turned.fps < np.radians(FASTEST + 1.0)


def test_same_library_same_bytes(fighter: ActionLibrary, turned: ActionLibrary, tmp_path: Path):
    again = with_turns(fighter)
    assert again.frames.rotations.tobytes() == turned.frames.rotations.tobytes()
    assert again.frames.root_position.tobytes() == turned.frames.root_position.tobytes()
    write(tmp_path / "turned.npz", turned)
    kept = read(tmp_path / "turned.npz")
    assert kept.frames.rotations.tobytes() == turned.frames.rotations.tobytes()
    assert kept.clips == turned.clips


def test_a_library_without_steps_gets_no_copies(fighter: ActionLibrary):
    standing = fighter.frames._replace(contacts=np.ones_like(fighter.frames.contacts))
    library = ActionLibrary(
        fighter.skeleton,
        fighter.fps,
        standing,
        fighter.actions,
        fighter.strikes,
        fighter.tags,
        fighter.clips,
    )
    assert with_turns(library) is library


def test_real_recordings_turn_too(mocap_folder: Path):
    names = ("E1_TurnAroundRight", "E2_TurnAroundLeft", "E3_Advance", "E5_Retreat", "Extended_1")
    clips = [load(mocap_folder / "boxing" / f"accad_Male2_{name}.bvh") for name in names]
    library = build_library([(clip, analyse(clip)) for clip in clips])
    turned = with_turns(library)
    turns = [_turn(turned, action) for action in _copies(library, turned)]
    assert max(turns) > 85.0
    assert min(turns) < -85.0
    _check_bodies(library, turned)
