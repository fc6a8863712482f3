"""Whatever happens in a scene is told in a sentence."""

import ast
from pathlib import Path

import pytest

import randori
from randori.duel import fight
from randori.patches.library import EVENT_KINDS
from randori.scene.story import event_in_words
from randori.timeline.timeline import Event

_SOURCES = Path(randori.__file__).parent
_TABLES = {"_KINDS": set(fight._KINDS.values()), "EVENT_KINDS": set(EVENT_KINDS)}
_TOLD_ANEW = {"event.kind", "row['kind']"}  # what was made elsewhere


def _kinds(node: ast.expr) -> set[str]:
    """The kinds that an argument can be."""
    match node:
        case ast.Constant(value=str(kind)):
            return {kind}
        case ast.IfExp(body=one, orelse=other):
            return _kinds(one) | _kinds(other)
        case ast.Subscript(value=ast.Name(id=table)):
            return _TABLES[table]
    assert ast.unparse(node) in _TOLD_ANEW, f"which kinds are {ast.unparse(node)}?"
    return set()


def _made_in(path: Path) -> set[str]:
    """The kinds of all events that a file makes."""
    text = path.read_text(encoding="utf-8")
    if "from randori.timeline.timeline import" not in text or "Event(" not in text:
        return set()
    tree = ast.parse(text)
    calls = [
        node
        for node in ast.walk(tree)
        if isinstance(node, ast.Call)
        and isinstance(node.func, ast.Name)
        and node.func.id == "Event"
        and len(node.args) > 1
    ]
    return {kind for call in calls for kind in _kinds(call.args[1])}


ALL = sorted(set().union(*(_made_in(path) for path in _SOURCES.rglob("*.py"))))


def test_the_kinds_are_found():
    assert {"hit", "miss", "push", "hand over", "effect", "target", "run over", "checkpoint"} <= set(ALL)


@pytest.mark.parametrize("kind", ALL)
@pytest.mark.parametrize("names", [["Red", "Blue"], ["you", "boxer"], ["boxer", "you"]])
def test_every_kind_is_told_in_a_sentence(kind: str, names: list[str]):
    told = event_in_words(names, Event(30, kind, 0, 1, "left_hand", "upper_torso", 2.5, (0.0, 1.0, 0.0)))
    unknown = event_in_words(names, Event(30, f"{kind}!", 0, 1))
    assert told != unknown.replace("!", "")
    assert "_" not in told
    assert told == " ".join(told.split())
    assert len(told.split()) >= 3
    for wrong in ("you is", "you does", "you hits", "you misses", "you pushes"):
        assert wrong not in told


def test_what_is_done_to_a_thing_names_nobody():
    told = event_in_words(["Ann"], Event(30, "effect", 0, 7, "jump over"))
    assert told == "Ann is in the middle of it: jump over"


def test_sentences():
    names = ["Red", "you"]
    assert event_in_words(names, Event(0, "miss", 1, 0)) == "you miss Red"
    assert event_in_words(names, Event(0, "push", 0, 1)) == "Red pushes you"
    assert event_in_words(names, Event(0, "caught", 1, 0)) == "you catch Red"
    assert event_in_words(names, Event(0, "hand over", 0, 1)) == "Red hands the luggage to you"
    assert event_in_words(names, Event(0, "response", 0, 1)) == "Red gives way to what you do"
    assert event_in_words(names, Event(0, "run over", -1, 1, "car")) == "the car runs you over"
