"""Everything that a scene file can say can be said in the studio's form."""

from pathlib import Path
from typing import Any

from pydantic import BaseModel

from randori.graph.motions import Motions
from randori.policy.behaviours import BEHAVIOURS
from randori.scene.scene import INPUT_VALUES, KIND_KEYS, Member, Scene
from randori.studio import messages as wire
from randori.studio import vocabulary as words_of
from randori.studio.project import Project
from randori.studio.scenes import edit_scene
from randori.studio.vocabulary import vocabulary

BOXING = """
[motions.boxing]
perform = ["boxing"]

[[cast]]
name = "Red"

[[cast]]
name = "Blue"
team = 1
"""


def edit(folder: Path, text: str, edits: list[dict[str, Any]]) -> dict[str, Any]:
    """The document after edits of the form."""
    asked = wire.EditScene(text=text, edits=[wire.Edit(**one) for one in edits])
    return edit_scene(Project(folder), asked).model_dump(mode="json")


def test_every_key_of_a_scene_can_be_said_in_the_form() -> None:
    words = vocabulary().model_dump(mode="json")
    tables: dict[str, tuple[type[BaseModel], set[str]]] = {
        name: (model, {control["key"] for control in words["tables"][name]})
        for name, (model, _) in words_of._TABLES.items()
    }
    tables |= {
        name: (model, apart | {control["key"] for control in words["patterns"][name]})
        for name, (model, _, apart) in words_of._PATTERNS.items()
    }
    edited_apart = {"motions", "cast", "path", "rules", "combination"}
    scene = {control["key"] for control in words["scene"]} | set(words["tables"]) | edited_apart
    tables["scene"] = (Scene, scene)
    tables["member"] = (Member, {"weights"} | {control["key"] for control in words["member"]})
    tables["motions"] = (Motions, {control["key"] for control in words["motions"]})
    tables["group"] = (tables["group"][0], tables["group"][1] | {"annotation", "pattern"})
    for name, (model, keys) in tables.items():
        said = {key for key, field in model.model_fields.items() if not field.exclude}
        assert said <= keys, name
    assert {control["key"] for control in words["behaviours"]} == set(BEHAVIOURS)
    assert set(words["inputs"]) == set(INPUT_VALUES)
    titles = [control["title"] for control in words["weights"]]
    assert len(set(titles)) == len(titles)  # two weights of one name could not be told apart


def test_the_usual_patterns_of_every_kind_of_group_can_be_copied_into_a_scene(tmp_path: Path) -> None:
    kinds = vocabulary().model_dump(mode="json")["usual_patterns"]
    assert set(kinds) == set(KIND_KEYS)
    for kind, usual in kinds.items():
        text = f'title = "Own"\n\n[[group]]\nkind = "{kind}"\n'
        edits = [
            {"do": "set", "at": ["motions", usual["name"]], "value": usual["motions"]},
            {"do": "set", "at": ["group", 0, "annotation"], "value": usual["annotation"]},
            {"do": "set", "at": ["group", 0, "pattern"], "value": usual["pattern"]},
        ]
        found = edit(tmp_path, text, edits)
        assert found["problems"] == [], kind
        assert found["scene"]["group"][0]["annotation"] == usual["annotation"]
        word = next(iter(usual["annotation"]))
        narrower = [
            {"do": "set", "at": ["group", 0, "annotation", word, "distance"], "value": [0.5, 0.9]},
            {"do": "set", "at": ["group", 0, "pattern", 0, "weights", "timing"], "value": 0.5},
        ]
        changed = edit(tmp_path, found["text"], narrower)
        assert changed["problems"] == [], kind
        assert changed["scene"]["group"][0]["annotation"][word]["distance"] == [0.5, 0.9]
        assert changed["scene"]["group"][0]["pattern"][0]["weights"]["timing"] == 0.5


def test_what_has_no_place_on_the_stage_can_be_added_in_the_form(tmp_path: Path) -> None:
    edits = [
        {"do": "set", "at": ["finale"], "value": {"who": ["Red", "Blue"], "time": 12}},
        {
            "do": "insert",
            "at": ["inputs", -1],
            "value": {"time": 1, "what": "go", "who": "Red", "place": [0, 0]},
        },
        {"do": "set", "at": ["inputs", 0, "what"], "value": "set"},
        {"do": "delete", "at": ["inputs", 0, "place"], "value": None},
        {"do": "set", "at": ["inputs", 0, "key"], "value": "distance"},
        {"do": "set", "at": ["inputs", 0, "value"], "value": 1.6},
        {"do": "set", "at": ["motions", "spare"], "value": {"perform": ["boxing"]}},
        {"do": "set", "at": ["cast", 0, "motions"], "value": "boxing"},
        {"do": "set", "at": ["cast", 1, "motions"], "value": "boxing"},
    ]
    boxing = BOXING
    found = edit(tmp_path, boxing, edits)
    assert found["problems"] == []
    formed = [{"do": "set", "at": ["formation"], "value": {"shape": "circle", "pairs": 6, "time": [0, 30]}}]
    assert edit(tmp_path, boxing, formed)["problems"] == []
