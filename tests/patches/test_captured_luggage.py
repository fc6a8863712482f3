"""Luggage in captured motions: the hands say what is carried, and the way they move when it changes hands."""

from dataclasses import replace

import numpy as np
import pytest

from randori.capture.actions import Tags
from randori.errors import RandoriError
from randori.graph.action_graph import ActionGraph
from randori.patches.captured_luggage import IN_BOTH_ARMS, IN_ONE_HAND, _held, with_luggage
from randori.patches.handing import grip_of
from randori.patches.library import PatchLibrary
from randori.patches.prepared import Prepared
from randori.performer.luggage import PIECES
from randori.scene.preparing import Ready
from randori.scene.scene import Scene
from randori.scene.session import SceneSession


def test_what_is_taken_is_held_until_it_is_given() -> None:
    def does(*words: str) -> list[Tags]:
        kinds = {"pick up": "luggage", "receive": "luggage", "put down": "luggage", "hand over": "luggage"}
        return [Tags(kinds.get(word, "locomotion"), word, "left" if word in kinds else "") for word in words]

    assert _held(does("walk", "pick up", "stand", "carry", "put down", "stand")) == [
        "", "left", "left", "left", "left", "",
    ]  # fmt: skip
    # what is put down was carried before; a step with free hands before that carries nothing
    assert _held(does("walk", "start", "carry", "put down")) == ["", "left", "left", "left"]
    assert _held(does("carry", "stop")) == ["both", ""]


def test_captured_luggage_has_a_piece_and_a_grip(luggage_graph: ActionGraph) -> None:
    """The words that capture gives, in place of the performer's truth, lead to nearly the same grips."""
    told = luggage_graph.library
    handled = [k for k, tags in enumerate(told.tags) if tags.kind == "luggage"]
    assert handled
    blank = [replace(tags, position="") if tags.position in PIECES else tags for tags in told.tags]
    starts, none = np.zeros(len(told) + 1, dtype=np.int64), [column[:0] for column in told.strikes]
    seen = replace(
        told,
        tags=tuple(blank),
        actions=told.actions._replace(strike_start=starts),
        strikes=told.strikes._make(none),
    )
    found = with_luggage(seen)
    for action in handled:
        tags = found.tags[action]
        assert tags.position == (IN_BOTH_ARMS if tags.side == "both" else IN_ONE_HAND)
        start, stop = int(found.actions.start[action]), int(found.actions.stop[action])
        assert start <= grip_of(found, action).frame < stop
        if told.tags[action].position == tags.position:
            apart = abs(grip_of(found, action).frame - grip_of(told, action).frame) / told.fps
            assert apart < 0.5
    assert with_luggage(told) is told  # a library that names its pieces stays as it is


def test_a_porter_can_be_led_once_its_hands_are_empty(
    luggage_graph: ActionGraph, luggage_patches: PatchLibrary
) -> None:
    ready = Ready(groups=[Prepared(luggage_graph, luggage_patches)], pictures=[()])
    text = '[[group]]\nkind = "relay"\npieces = ["box"]\ncount = 2\ncarried = 1.0\n'
    session = SceneSession(Scene.parse(text).changed(seed=5), ready)
    group = session.parts[0]
    (row,) = group.composition.rows
    session.advance(5)
    session.send("take over", who=group.names[0])  # it is about to pick the box up
    session.send("go", who=group.names[0], place=[-2.0, 0.0])
    while len(row.people) < 2:
        session.advance(session.tick + 1)
        assert session.tick < 2000
    assert row.grips[1].who == 1  # it hands the box over first
    session.advance(row.grips[1].tick + 480)
    x, z = group.spots(np.array([session.tick]))[0, 0]
    assert np.hypot(x + 2.0, z) < 0.8
    session.send("let go", who=group.names[0])
    session.advance(session.tick + 120)
    assert group.stage.actors[0].state.tick > session.tick


@pytest.mark.parametrize("what", ["go", "do"])
def test_nobody_obeys_before_it_is_taken_over(
    luggage_graph: ActionGraph, luggage_patches: PatchLibrary, what: str
) -> None:
    ready = Ready(groups=[Prepared(luggage_graph, luggage_patches)], pictures=[()])
    session = SceneSession(Scene.parse('[[group]]\nkind = "relay"\npieces = ["box"]\ncount = 2\n'), ready)
    values = {"go": {"place": [0.0, 0.0]}, "do": {"action": "jump"}}[what]
    before = len(session.inputs)
    with pytest.raises(RandoriError, match=r"take it over first|there are take over, go and let go"):
        session.send(what, who="porter 1", **values)
    assert len(session.inputs) == before
