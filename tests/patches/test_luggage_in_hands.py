"""Luggage that is passed along: it reaches the end, in somebody's hands or on the floor at all times."""

from itertools import combinations

import numpy as np
import pytest

from randori.body.capsules import fit
from randori.graph.action_graph import ActionGraph
from randori.kernels import overlap
from randori.motion import rotations as rot
from randori.motion.clip import Clip
from randori.motion.editing import align, crop
from randori.motion.placement import Placement
from randori.patches.carried import Carried, Grip, carry
from randori.patches.handing import FISTS_APART
from randori.patches.library import PatchLibrary
from randori.patches.prepared import Prepared
from randori.performer import perform
from randori.performer.luggage import PIECES
from randori.scene.groups import Passing
from randori.scene.preparing import Ready
from randori.scene.scene import Scene
from randori.scene.session import SceneSession
from randori.scene.take import Take
from randori.work import finish

NEAR = 0.02  # metres from luggage to the hands that have it
Story = tuple[Passing, Take]
SCENE = '[[group]]\nkind = "relay"\npieces = ["box"]\ncount = 2\ncarried = 1.0\n'


@pytest.fixture(scope="module")
def story(luggage_graph: ActionGraph, luggage_patches: PatchLibrary) -> Story:
    """Two people and a box, until it is put down."""

    ready = Ready(groups=[Prepared(luggage_graph, luggage_patches)], pictures=[()])
    session = SceneSession(Scene.parse(SCENE).changed(seed=5), ready)
    group = session.parts[0]
    row = group.composition.rows[0]
    while not row.rounds or session.tick < row.grips[2].tick:
        session.advance(session.tick + 1)
        assert session.tick < 2000
    session.advance(session.tick + 20)
    return group, finish(session.taking())


def test_it_reaches_the_end(story: Story) -> None:
    session, take = story
    (row,) = session.composition.rows
    (way,) = session.composition.ways(take.clips)
    assert [grip.who for grip in row.grips] == [0, 1, 1, 1]  # put down, and soon taken back
    assert not row.grips[2].hand
    assert len(take.clips) == 2
    half = 0.5 * PIECES["box"].size[1]
    assert way[0, 1] == way[-1, 1] == half
    assert np.linalg.norm(way[-1, [0, 2]] - way[0, [0, 2]]) > 2.0


def test_it_is_in_hands_or_on_the_floor_in_every_frame(story: Story) -> None:
    session, take = story
    (way,) = session.composition.ways(take.clips)
    _assert_held(way, take.clips, "box")


def test_nobody_is_in_anybody_and_nobody_appears(story: Story) -> None:
    _, take = story
    body = fit(take.clips[0].skeleton)
    for one, other in combinations(take.clips, 2):
        placed = [body.place(clip.positions, clip.global_rotations) for clip in (one, other)]
        depths = np.empty((len(one), 16, 16))
        overlap.depths(placed[0], body.radii, placed[1], body.radii, depths)
        assert float(depths.max()) <= 0.02
    for clip in take.clips:
        assert float(np.linalg.norm(np.diff(clip.root_position, axis=0), axis=-1).max()) < 0.06


@pytest.mark.parametrize("missing", [(0.03, 0.02, -0.03), (-0.04, -0.03, 0.0)])
def test_a_bag_goes_from_fist_to_fist(missing: tuple[float, float, float]) -> None:
    """Two stand face to face; the fist of the second is beside where it should be."""
    giver = crop(perform("luggage", 12.0, 3)[0].clip, 60, 240)
    giver = align(giver, 90, Placement(0.0, 0.0, 0.0))
    wanted = _fist(giver, "right")[90] + [0.0, 0.0, FISTS_APART] + np.array(missing)
    taker = align(giver, 90, Placement(0.0, 0.0, np.pi))
    moved = taker.root_position + (wanted - _fist(taker, "right")[90])
    taker = taker.with_frames(moved, taker.rotations)
    found = carry("bag", [Grip(0, 0, "right"), Grip(90, 1, "right")], [giver, taker], giver.fps)
    lifted = 30  # it comes from the floor, where no hand is
    _assert_held(found.way[lifted:], [crop(clip, lifted, len(clip)) for clip in found.clips], "bag")
    both = _from_handle(found, [_fist(clip, "right") for clip in found.clips])[:, 90]
    assert float(both.max()) < NEAR
    # the second one's arm is as it was recorded before and after it
    for frame in (40, 150):
        assert np.allclose(found.clips[1].rotations[frame], taker.rotations[frame])


def _fist(clip: Clip, side: str) -> np.ndarray:
    joint = clip.skeleton.joint(f"{side}_hand")
    return 0.5 * (clip.positions[:, joint] + clip.tip_positions[:, joint])


def _from_handle(found: Carried, fists: list[np.ndarray]) -> np.ndarray:
    """(N, F) metres from fists to the handle of a bag."""
    high = PIECES["bag"].size[1]
    own = [_own(found.way, fist) for fist in fists]
    return np.array(
        [
            np.linalg.norm(
                np.column_stack(
                    [p[:, 0], p[:, 1] - 0.5 * high - 0.02, np.abs(p[:, 2]).clip(0.5 * FISTS_APART) - 0.05]
                ),
                axis=-1,
            )
            for p in own
        ]
    )


def _own(way: np.ndarray, points: np.ndarray) -> np.ndarray:
    """(F, 3) points as a piece sees them."""
    return rot.rotate(rot.inverse(rot.from_yaw(way[:, 3])), points - way[:, :3])


def _assert_held(way: np.ndarray, clips: list[Clip], name: str) -> None:
    """In every frame: it stands on the floor and does not move, or somebody's hands are on it."""
    piece = PIECES[name]
    moves = np.linalg.norm(np.diff(way[:, :3], axis=0, prepend=way[:1, :3]), axis=-1)
    rests = (moves < 1e-9) & (np.abs(way[:, 1] - 0.5 * piece.size[1]) < 1e-9)
    nearest = np.full(len(way), np.inf)
    for clip in clips:
        if piece.both:
            wrists = [clip.positions[:, clip.skeleton.joint(f"{side}_hand")] for side in ("left", "right")]
            beyond = [np.abs(_own(way, wrist)) - 0.5 * np.array(piece.size) for wrist in wrists]
            off = np.max([np.linalg.norm(np.maximum(one, 0.0), axis=-1) for one in beyond], axis=0)
        else:
            off = _from_handle(Carried(way, clips), [_fist(clip, side) for side in ("left", "right")]).min(
                axis=0
            )
        nearest = np.minimum(nearest, off)
    assert float(nearest[~rests].max()) <= NEAR
    assert float(moves.max()) < 0.06  # 3.6 m/s: it never jumps
