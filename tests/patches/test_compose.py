"""Composition: what is chosen, who gets where, nobody in anybody, nobody out of thin air."""

from dataclasses import replace
from itertools import pairwise

import numpy as np
import pytest

from randori.body.capsules import fit
from randori.errors import RandoriError
from randori.graph.action_graph import ActionGraph
from randori.kernels import overlap
from randori.patches.compose import Composer, Usage, score
from randori.patches.fights import OneFightsMany, TwoFight
from randori.patches.library import PatchLibrary, selected
from randori.patches.picture import CELL, Picture, silhouettes
from randori.patches.prepared import Prepared
from randori.patches.recycling import apart, nearest, standard_poses
from randori.patches.stage import Stage
from randori.scene.groups import GROUPS
from randori.scene.preparing import Ready
from randori.scene.scene import Scene
from randori.scene.session import SceneSession

TICKS = 420


@pytest.fixture(scope="module")
def prepared(small_graph: ActionGraph, small_patches: PatchLibrary) -> Prepared:
    return Prepared(small_graph, small_patches)


@pytest.fixture(scope="module")
def brawl(prepared: Prepared) -> Stage:
    scene = OneFightsMany(prepared, seed=3, opponents=4)
    for now in range(TICKS):
        scene.advance(now)
    return scene.stage


def test_the_score_is_that_of_the_paper() -> None:
    wanted = score(np.array([0.0, 4.0]), np.array([0.0, 0.25]), np.array([0.0, 1.0]))
    assert wanted == pytest.approx([10.0 + 1000.0, 2.0 + 750.0 + 10_000.0])


def test_what_was_used_is_wanted_less_and_then_more_again() -> None:
    usage = Usage(3)
    usage.use(0)
    usage.use(1)
    assert usage.value == pytest.approx([0.9, 1.0, 0.0])
    usage.use(0)
    assert usage.value == pytest.approx([1.9, 0.9, 0.0])


def test_standard_poses_are_where_patches_begin(small_patches: PatchLibrary) -> None:
    poses = standard_poses(small_patches)
    assert sum(pose.patches for pose in poses) == len(small_patches)
    begin = small_patches.arrays.initial[0, :3]
    found = nearest(poses, begin)
    here = np.array([found.distance, *found.bearings])
    assert float(apart(here, begin)) < 0.04
    assert float(apart(np.array([1.0, 0.0, 0.0]), np.array([4.0, 0.0, np.pi]))) == pytest.approx(2.0)


def test_everybody_is_there_from_the_beginning_without_a_gap(brawl: Stage) -> None:
    for actor in brawl.actors:
        assert actor.steps[0].start == 0
        for before, after in pairwise(actor.steps):
            assert before.stop == after.start
            assert after.stop > after.start


def test_nobody_jumps(brawl: Stage) -> None:
    """Over the floor nobody is faster than people are: nobody appears from elsewhere."""
    spots = np.array([brawl.spots(tick) for tick in range(TICKS)])
    speeds = np.linalg.norm(np.diff(spots, axis=0), axis=-1)
    # where two ways meet, centimetres are missing that go into the join
    assert float(speeds.max()) < 0.2


def test_bodies_are_in_each_other_only_where_somebody_is_struck(brawl: Stage) -> None:
    body = fit(brawl.library.skeleton)
    placed = body.place(brawl.library.positions, brawl.library.global_rotations)
    struck = {
        (frozenset((event.who, event.whom)), tick)
        for event in brawl.events
        if event.kind in ("hit", "push", "block", "miss")
        for tick in range(event.tick - 40, event.tick + 60)
    }
    for tick in range(0, TICKS, 7):
        bodies = []
        for who in range(len(brawl)):
            frame, (x, z, yaw) = brawl.shown(who, tick)
            bodies.append(_moved(placed[frame], x, z, yaw))
        for one in range(len(brawl)):
            for other in range(one + 1, len(brawl)):
                if (frozenset((one, other)), tick) in struck:
                    continue
                depth = np.empty((1, 16, 16))
                overlap.depths(bodies[one][None], body.radii, bodies[other][None], body.radii, depth)
                assert float(depth.max()) < 0.025, (one, other, tick)


def _moved(body: np.ndarray, x: float, z: float, yaw: float) -> np.ndarray:
    c, s = np.cos(yaw), np.sin(yaw)
    moved = body.copy()
    moved[..., 0] = c * body[..., 0] + s * body[..., 2] + x
    moved[..., 2] = c * body[..., 2] - s * body[..., 0] + z
    return moved


def test_the_partner_is_where_the_patch_has_it(prepared: Prepared) -> None:
    scene = TwoFight(prepared, seed=1)
    chosen = None
    for _ in range(40):
        chosen = scene.composer.engage(0, [1])
        if chosen is not None:
            break
        scene._approach((0, 1), scene.wish)
    assert chosen is not None
    stage = scene.stage
    wanted = stage.part(chosen.number, 1 - chosen.role, chosen.place, chosen.tick)
    for row in (0, len(wanted.shown) - 1):
        frame, place = stage.shown(chosen.partner, wanted.start + row)
        assert frame == wanted.shown["frame"][row]
        assert place == pytest.approx(np.array(wanted.shown["place"][row].tolist()))


def test_a_picture_knows_what_is_covered_and_what_lies_outside() -> None:
    """Somebody 0.2 m wide lies from the middle of a cell over the edge of the picture."""
    picture = Picture(("##", "##"))
    body = np.zeros((1, 16, 2, 3))
    body[0, 0, :, 0] = 0.5 * CELL, 2.5 * CELL
    body[0, 0, :, 2] = 0.5 * CELL
    radii = np.where(np.arange(16) == 0, 0.1, -1.0)
    shape = silhouettes(body, radii)
    gain = picture.gains(shape, np.array([0]), np.zeros((1, 3)))[0]
    assert (gain["new"], gain["outside"]) == pytest.approx((0.2 * (0.5 * CELL), 0.2 * 1.5 * CELL), rel=0.35)
    picture.lie(shape, 0, (0.0, 0.0, 0.0))
    assert picture.share() == pytest.approx(0.25)
    assert picture.outside == pytest.approx(1.5 / 2.0, abs=0.08)
    assert picture.gains(shape, np.array([0]), np.zeros((1, 3)))["new"][0] == 0.0


def two_fight(prepared: Prepared, seed: int, more: str = "") -> SceneSession:
    scene = Scene.parse(f'seed = {seed}\n[[group]]\nkind = "pair"\n{more}\n')
    return SceneSession(scene, Ready(groups=[prepared], pictures=[()]))


def test_the_same_seed_and_commands_give_the_same_bytes(prepared: Prepared) -> None:
    def play(seed: int) -> bytes:
        session = two_fight(prepared, seed)
        shown = []
        for tick in range(90):
            if tick == 20:
                session.send("do", action="punch")
            shown.append(session.step().bytes())
        return b"".join(shown)

    assert play(4) == play(4)
    assert play(4) != play(5)


def test_what_nobody_knows_is_said(prepared: Prepared) -> None:
    session = two_fight(prepared, 1)
    wrong = (("fly", {}), ("go", {"place": "there"}), ("face", {}), ("do", {"action": "punch", "hard": 1}))
    for what, values in (*wrong, ("do", {"action": "dance"}), ("take over", {"who": "fighter 3"})):
        with pytest.raises(RandoriError):
            session.send(what, **values)
    assert session.inputs == []
    shipped = {kind.patterns for kind in GROUPS.values()}
    assert shipped == {"one-fights-many", "two-fight", "football", "mouse", "dominoes", "luggage"}


def test_a_scene_without_patches_is_refused_in_a_sentence(prepared: Prepared) -> None:
    patches = prepared.patches
    none = replace(patches, arrays=selected(patches.arrays, np.zeros(len(patches), dtype=bool)))
    with pytest.raises(RandoriError, match="the scene has no patches; `randori patches build` reports why"):
        Composer(Prepared(prepared.graph, none), seed=1)


def test_a_group_is_moved_as_a_whole(prepared: Prepared) -> None:
    """Where a group stands changes nothing of what it does."""
    here, there = two_fight(prepared, 4), two_fight(prepared, 4, "place = [10.0, 0.0, 90.0]")
    for session in (here, there):
        session.send("do", action="punch")
        session.advance(90)
    one, other = (session.timeline() for session in (here, there))
    assert [event.tick for event in one.events] == [event.tick for event in other.events]
    for mine, theirs in zip(one.tracks, other.tracks):
        for step, moved in zip(mine.placed, theirs.placed):
            assert (step.action, step.start, step.stop) == (moved.action, moved.start, moved.stop)
            # a quarter turn takes +z to +x
            assert (moved.placement.x, moved.placement.z) == pytest.approx(
                (10.0 + step.placement.z, -step.placement.x)
            )


def test_density_counts_who_is_near(prepared: Prepared) -> None:
    composer = Composer(prepared, 1)
    for x in (0.0, 0.5, 5.0):
        composer.stand("somebody", 0, (x, 0.0, 0.0))
    assert composer.stage.density(np.array([[0.0, 0.0], [5.0, 0.0]]), 0, 2.0).tolist() == [2, 1]
