"""Patterns of a group, compared with its motions before anything is built."""

from dataclasses import replace

import pytest

from randori.errors import FileError
from randori.graph.action_graph import ActionGraph
from randori.patches.library import PatchLibrary
from randori.patches.locomotion import Locomotion
from randori.patches.prepared import Prepared
from randori.patches.stage import Stage
from randori.scene.patterns import Patterns, patterns_of
from randori.scene.preparing import preparing_scene
from randori.scene.scene import Scene

SCENE = """
[motions.ring]
library = "unused.npz"
[[group]]
kind = "ring"
[group.annotation]
attack = {{ actions = [{{ {attack} }}], threat = "strike" }}
[[group.pattern]]
moves = ["1 attack", "2 attack"]
"""
USUAL = """
[motions.ring]
library = "unused.npz"
[[group]]
kind = "ring"
motions = "ring"
"""


def patterns(text: str) -> Patterns:
    scene = Scene.parse(text)
    return patterns_of(scene, scene.group[0], "group[1]")


@pytest.mark.parametrize(
    ("attack", "problem"),
    [
        (
            'technique = ["moonwalk"]',
            r"group\[1\].annotation.attack.actions\[1\].technique: none of the motions has technique "
            r"'moonwalk'; There are .*jab",
        ),
        (
            'kind = ["attack"], technique = ["stand"]',
            r"group\[1\].annotation.attack.actions: none of the motions has kind 'attack', "
            r"technique 'stand' at once; there are .*jab",
        ),
    ],
)
def test_a_word_that_no_motion_has(small_graph: ActionGraph, attack: str, problem: str) -> None:
    with pytest.raises(FileError, match=problem):
        patterns(SCENE.format(attack=attack)).fitting(small_graph)


def test_words_that_there_are_pass(small_graph: ActionGraph) -> None:
    known = patterns(SCENE.format(attack='kind = ["attack"]'))
    assert known.fitting(small_graph) is known


def test_a_kind_that_does_not_exist_is_found_before_motions_are_read() -> None:
    scene = Scene.parse(SCENE.format(attack='kind = ["atack"]'))
    problem = r"annotation.attack.actions\[1\].kind: there is no kind 'atack'; did you mean 'attack'\?"
    with pytest.raises(FileError, match=problem):
        next(preparing_scene(scene))


def test_shipped_patterns_that_the_motions_cannot_do_are_left_out(small_graph: ActionGraph) -> None:
    usual = patterns(USUAL)
    tags = [replace(one, kind="reaction") if one.kind == "fall" else one for one in small_graph.library.tags]
    graph = replace(small_graph, library=replace(small_graph.library, tags=tuple(tags)))
    kept = usual.fitting(graph)
    words = {move.word for pattern in kept.scene.pattern for move in pattern.list}
    assert words
    assert "fall" not in words
    assert len(kept.scene.pattern) < len(usual.scene.pattern)
    assert kept.text != usual.text  # patches are kept under what they were built of


def test_pieces_of_a_stride_are_no_steps(small_graph: ActionGraph, small_patches: PatchLibrary) -> None:
    """Some begin and end in one posture, where the threshold is large: repeated, they look frozen."""
    library = small_graph.library
    technique = next(tags for tags in library.tags if tags.technique.startswith("step"))
    looped = [
        action
        for action in small_graph.actions.tolist()
        if small_graph.start_posture[action] == small_graph.end_posture[action]
    ]
    brief = min(looped, key=lambda action: library.durations[action])
    tags = list(library.tags)
    tags[brief] = technique
    stop = library.actions.stop.copy()
    stop[brief] = library.actions.start[brief] + 5
    changed = replace(library, tags=tuple(tags), actions=library.actions._replace(stop=stop))
    stage = Stage(Prepared(replace(small_graph, library=changed), small_patches))
    assert brief not in Locomotion(stage).actions
    whole = Stage(Prepared(replace(small_graph, library=replace(library, tags=tuple(tags))), small_patches))
    if library.durations[brief] > 0.3:
        assert brief in Locomotion(whole).actions
