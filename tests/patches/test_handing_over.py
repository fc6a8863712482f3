"""Luggage that changes hands: both have hold of it, in the same place, at the same time."""

import numpy as np
import pytest

from patch_samples import LUGGAGE
from randori.errors import RandoriError
from randori.graph.action_graph import ActionGraph
from randori.patches.build import building
from randori.patches.check import checking
from randori.patches.handing import grip_of, luggage_at
from randori.patches.library import PatchLibrary
from randori.patches.pattern import parse_patterns
from randori.performer import perform
from randori.work import finish


def test_all_is_as_the_pattern_asks(luggage_patches: PatchLibrary, luggage_graph: ActionGraph) -> None:
    found = finish(checking(luggage_patches, luggage_graph))
    assert found.patches > 0
    assert not found.wrong, found.examples


def test_hands_meet(luggage_patches: PatchLibrary, luggage_graph: ActionGraph) -> None:
    library = luggage_graph.library
    for number in range(len(luggage_patches)):
        patch = luggage_patches.patch(number)
        (event,) = patch.events
        middles = []
        for part in patch.parts:
            frame, place = part.frame_at(event.tick)
            step = next(step for step in part.steps if step.first <= frame < step.last)
            tags = library.tags[step.action]
            own, height = luggage_at(library, frame, tags.position, tags.side)
            x, _, z = place.move_points([own[0], 0.0, own[1]])
            middles.append((x, height, z))
        assert event.kind == "hand over"
        assert np.linalg.norm(np.subtract(*middles)) < 0.03  # what the two heights differ by


def test_luggage_is_found_where_the_performer_says_it_is(luggage_graph: ActionGraph) -> None:
    truth = perform("luggage", 90.0, 3)[0].truth
    library = luggage_graph.library
    seen = 0
    for thing in truth.things:
        for stretch in thing.whereabouts:
            if stretch.state != "hands" or stretch.stop - stretch.start < 100:
                continue
            frame = (stretch.start + stretch.stop) // 2
            place, height = luggage_at(library, frame, thing.name, stretch.hands)
            x, y, z = stretch.poses[frame - stretch.start][:3]
            assert np.hypot(place[0] - x, place[1] - z) < 0.05
            assert abs(height - y) < 0.06
            seen += 1
    assert seen > 2


def test_an_action_in_which_nothing_changes_hands_has_no_grip(luggage_graph: ActionGraph) -> None:
    walk = next(k for k, tags in enumerate(luggage_graph.library.tags) if tags.technique == "walk")
    with pytest.raises(ValueError, match="does not say when"):
        grip_of(luggage_graph.library, walk)


def test_motions_without_luggage_are_refused(small_graph: ActionGraph) -> None:
    with pytest.raises(RandoriError, match="no character can hand over anything"):
        finish(building(parse_patterns(LUGGAGE, "luggage"), LUGGAGE, small_graph, workers=1))
