"""Joins: what goes on goes on without a break, and a join that does not hold is found."""

from dataclasses import replace

import numpy as np
import pytest

from randori.graph.action_graph import ActionGraph
from randori.motion.placement import Placement
from randori.patches.check import Checker
from randori.patches.library import PatchLibrary
from randori.patches.patch import following, place_after
from randori.patches.replay import Replay


def test_a_patch_that_is_put_somewhere_keeps_its_two_to_each_other(small_patches: PatchLibrary) -> None:
    patch = small_patches.patch(0)
    there = patch.put(Placement(3.0, -2.0, 1.1), 40)
    for role in (0, 1):
        before, after = patch.parts[role], there.parts[role]
        assert after.start == before.start + 40
        for old, new in zip(before.steps, after.steps):
            assert (old.action, old.first) == (new.action, new.first)
    relative = [
        one.parts[1].steps[0].placement.then(one.parts[0].steps[0].placement.inverse())
        for one in (patch, there)
    ]
    assert np.allclose([relative[0].x, relative[0].z], [relative[1].x, relative[1].z])
    assert [event.tick + 40 for event in patch.events] == [event.tick for event in there.events]


def test_the_first_one_stands_in_the_origin_and_looks_along_z(
    small_patches: PatchLibrary, small_graph: ActionGraph
) -> None:
    checker = Checker(small_patches, small_graph)
    for number in range(0, len(small_patches), 5):
        part = small_patches.patch(number).parts[0]
        assert np.allclose(np.sin(checker._seen(part, part.start)), 0.0, atol=1e-6)


def test_who_goes_on_alone_goes_on_where_it_stands(
    small_patches: PatchLibrary, small_graph: ActionGraph
) -> None:
    assert len(small_patches.joins.alone) > 0
    for first, role, second, as_role in small_patches.joins.alone[::3]:
        before, after = small_patches.patch(first), small_patches.patch(second)
        last = before.parts[role].steps[-1]
        moved = after.put(place_after(small_graph, last, after.parts[as_role]), before.parts[role].stop)
        step = moved.parts[as_role].steps[0]
        wanted = following(small_graph, last, step.action)
        assert np.allclose([wanted.x, wanted.z], [step.placement.x, step.placement.z], atol=1e-9)


def test_two_can_go_on_together(small_patches: PatchLibrary) -> None:
    assert len(small_patches.joins.together) > 0
    for number in range(len(small_patches)):
        for row in small_patches.together_after(number):
            assert row["patch"] == number


@pytest.mark.parametrize("kind", ["together", "alone", "beside"])
def test_a_join_that_does_not_hold_is_found(
    small_patches: PatchLibrary, body_patches: PatchLibrary, small_graph: ActionGraph, kind: str
) -> None:
    patches = body_patches if kind == "beside" else small_patches
    table = getattr(patches.joins, kind)
    assert len(table) > 0
    replay = Replay(patches, small_graph)
    wrong = 0
    for row in table[:10]:
        assert replay.check(kind, row)[0] == []
        changed = row.copy()
        if kind == "together":
            changed["tick"] += 30
        elif kind == "alone":
            changed["next"] = (changed["next"] + 1) % len(patches)
        else:
            changed["tick"] += 3
        wrong += bool(replay.check(kind, changed)[0])
    assert wrong > 0


def test_no_joins_are_needed_to_look_for_some(small_patches: PatchLibrary) -> None:
    bare = replace(small_patches, joins=small_patches.joins._replace(alone=small_patches.joins.alone[:0]))
    assert len(bare.alone_after(0, 1)) == 0
