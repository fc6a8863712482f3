"""Patches in which bodies push each other over, and patches with a mouse."""

import numpy as np
import pytest

from randori.graph.action_graph import ActionGraph
from randori.patches import mouse
from randori.patches.check import checking
from randori.patches.library import PatchLibrary
from randori.patches.preview import timeline_of
from randori.timeline.timeline import FORCED
from randori.work import finish


@pytest.fixture(scope="module")
def patches(body_patches: PatchLibrary) -> PatchLibrary:
    return body_patches


def test_all_is_as_the_patterns_ask(patches: PatchLibrary, small_graph: ActionGraph) -> None:
    found = finish(checking(patches, small_graph))
    assert set(patches.arrays.pattern) == {0, 1}
    assert not found.wrong, found.examples


def test_who_is_pushed_falls_from_that_moment_on(patches: PatchLibrary, small_graph: ActionGraph) -> None:
    tags = small_graph.library.tags
    for number in np.flatnonzero(patches.arrays.pattern == 0):
        patch = patches.patch(number)
        push = next(event for event in patch.events if event.kind == "push")
        last = patch.parts[0].steps[-1]
        assert (push.who, push.whom) == (1, 0)
        assert (last.start, last.cause) == (push.tick, FORCED)
        assert tags[last.action].kind == "fall"
        assert push.strength >= 3.0


def test_a_fall_that_a_patch_ends_with_leads_into_one_that_begins_with_it(patches: PatchLibrary) -> None:
    """The chain of dominoes: responses are entered sooner than first falls begin."""
    for first, role, second, as_role, tick in patches.joins.beside:
        before, after = patches.patch(first).parts[role], patches.patch(second).parts[as_role]
        frame, _ = before.frame_at(after.start + tick)
        assert frame == after.steps[0].first


def test_a_mouse_is_no_character(patches: PatchLibrary, small_graph: ActionGraph) -> None:
    library = small_graph.library
    number = int(np.flatnonzero(patches.arrays.pattern == 1)[0])
    patch = patches.patch(number)
    assert patch.parts[0].steps[0].action >= len(library)
    assert len(timeline_of(patch, library).tracks) == 1


def test_a_mouse_runs_with_its_speed() -> None:
    fps = 60.0
    for way in mouse.ways(fps):
        assert np.allclose(np.linalg.norm(np.diff(way[:, :2], axis=0), axis=1), mouse.SPEED / fps)
        assert np.isclose(len(way), mouse.SECONDS * fps + 1)
    body = mouse.capsules(mouse.ways(fps)[0])
    present = mouse.radii() > 0.0
    assert present.sum() == 1
    length = np.linalg.norm(body[:, present][:, 0, 1] - body[:, present][:, 0, 0], axis=-1)
    assert np.allclose(length, mouse.LENGTH)
