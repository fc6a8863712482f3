"""Scenes made from nothing, and nothing of them lost: in a real browser."""

import tomllib
from pathlib import Path
from typing import Any

import pytest

from studio.browsing import (
    SHORT,
    drag,
    go,
    next_take,
    on_page,
    open_gallery,
    open_scene,
    open_text,
    picture,
    rename,
    take_of,
    text_of,
    until,
    wait_for_text,
)
from studio.serving import TOKEN, Client

pytestmark = pytest.mark.slow


def add(page: Any, offer: str, x: float, z: float) -> None:
    """Take something from the palette and put it on the floor."""
    before = text_of(page)
    page.click(f"[data-offer={offer}]")
    page.mouse.click(*on_page(page, x, 0.0, z))
    until(page, "old => randori.view.file.document.text !== old", before)


def look_down(page: Any) -> None:
    page.evaluate("() => { randori.view.stage.cameras.following = null; }")
    page.evaluate("() => randori.view.stage.cameras.look({ position: [0, 9, 7], target: [0, 0, 0.5] })")


def test_a_scene_is_made_from_nothing_on_the_stage(page: Any, project: Path) -> None:
    open_gallery(page)
    page.click("text=New scene")
    page.wait_for_selector(".palette")
    look_down(page)
    add(page, "Boxer", -1.0, 0.0)
    page.wait_for_selector(".problems .hint:has-text('no opponent yet')")  # it says what is missing
    page.wait_for_selector("[data-group=member-0] [data-key=depth]")
    page.fill("[data-key=name] input", "Anna")
    page.keyboard.press("Enter")
    wait_for_text(page, "Anna")
    page.click("[role=tab]:has-text('Text')")  # the text says the same, and can be changed
    area = page.locator("textarea")
    area.fill(area.input_value().replace("seconds = 20.0", "seconds = 2.0"))
    page.click("button:has-text('Apply')")
    until(page, "() => randori.view.file.document.values.seconds === 2")
    add(page, "Boxer", 1.0, 0.0)
    until(page, "() => randori.view.show.take")
    take = next_take(page, "")
    page.evaluate("() => randori.view.player.pause()")
    assert [role["name"] for role in take["characters"]] == ["Anna", "Blue"]
    look_down(page)
    page.keyboard.press("?")
    page.wait_for_selector("dialog.keys")
    page.keyboard.press("a")  # a key behind the list does nothing
    page.keyboard.press("Escape")
    page.wait_for_selector("dialog.keys", state="detached")
    page.wait_for_selector(".palette")
    add(page, "Checkpoint", 1.0, 1.5)
    look = "() => randori.view.stage.cameras.camera.position.toArray().map(Math.round)"
    before = page.evaluate(look)
    add(page, "Camera", -2.0, 2.0)
    page.evaluate("() => randori.view.afterFrame()")
    assert page.evaluate(look) == before  # it is looked through when the take plays, not while it is placed
    add(page, "Wall", 0.0, -2.0)
    made = next_take(page, take["take"])
    assert [mark["place"] for mark in made["path"]] == [pytest.approx([1.0, 1.5], abs=0.1)]
    (shot,) = tomllib.loads(text_of(page))["shots"]
    assert (shot["position"][0], shot["position"][2]) == pytest.approx((-2.0, 2.0), abs=0.1)
    picture(page, "scene-arranged")

    look_down(page)
    x, z = tomllib.loads(text_of(page))["walls"][0]["start"]
    drag(page, on_page(page, x, 0.0, z), on_page(page, x - 1.0, 0.0, z))  # one end of it
    until(page, "x => randori.view.file.document.values.walls[0].start[0] < x - 0.8", x)
    before = tomllib.loads(text_of(page))["walls"][0]
    page.click(".arranger button:has-text('⟳')")
    walls = "randori.view.file.document.values.walls"
    until(page, f"z => Math.abs({walls}[0].start[1] - z) > 0.3", before["start"][1])
    page.click(".arranger button:has-text('Duplicate')")
    until(page, "() => randori.view.file.document.values.walls.length === 2")
    page.keyboard.press("Delete")
    until(page, "() => randori.view.file.document.values.walls.length === 1")
    for _ in range(3):
        page.keyboard.press("Control+z")
    until(page, "start => randori.view.file.document.values.walls[0].start[0] === start", before["start"][0])

    page.keyboard.press("Control+s")
    page.fill("dialog input", "alley.toml")
    page.click("dialog button:has-text('Save')")
    page.wait_for_selector(".toast:has-text('Saved as alley.toml')")
    assert page.evaluate("() => location.hash") == "#/scene?file=alley.toml"
    assert tomllib.loads((project / "alley.toml").read_text())["cast"][0]["name"] == "Anna"


def test_a_mistake_stands_at_its_field(page: Any, project: Path) -> None:
    (project / "wrong.toml").write_text(SHORT.replace("depth = 1", "depth = 20", 1), encoding="utf-8")
    go(page, "#/scene?file=wrong.toml")
    error = page.locator("[data-group=member-0] [data-key=depth] .error")
    error.wait_for()
    picture(page, "scene-mistake")
    page.fill("[data-group=member-0] [data-key=depth] input[type=number]", "2")
    page.keyboard.press("Enter")
    error.wait_for(state="detached")
    assert "depth = 2" in text_of(page)


def test_unsaved_changes_survive_a_reload_and_another_view(page: Any, project: Path) -> None:
    open_text(page, project, "kept.toml", SHORT)
    rename(page, "Rosa")
    page.reload()
    wait_for_text(page, "Rosa")
    page.click("button:has-text('Play live')")
    until(page, "() => location.hash.startsWith('#/live')")
    page.go_back()
    wait_for_text(page, "Rosa")
    assert "changed" in page.locator("[data-file]").inner_text()
    page.click("button:has-text('Undo')")
    until(page, "() => !randori.view.file.document.text.includes('Rosa')")
    assert (project / "kept.toml").read_text() == SHORT


def test_two_tabs_notice_each_other(page: Any, client: Client, project: Path) -> None:
    (project / "shared.toml").write_text(SHORT, encoding="utf-8")
    other = page.context.new_page()
    other.goto(f"http://127.0.0.1:{client.port}/?token={TOKEN}#/fight")
    open_scene(page, file="shared.toml")
    open_scene(other, file="shared.toml")
    page.wait_for_selector(".toast:has-text('another tab')")
    for tab, name in ((page, "Ruth"), (other, "Rita")):
        tab.bring_to_front()  # browsers slow down a tab in the background
        rename(tab, name)
    page.bring_to_front()
    page.keyboard.press("Control+s")
    page.wait_for_selector(".toast:has-text('Saved as')")
    other.bring_to_front()
    other.wait_for_selector(".toast:has-text('Another tab has saved')")
    other.keyboard.press("Escape")
    page.bring_to_front()
    (project / "shared.toml").write_text(SHORT + "# by hand\n", encoding="utf-8")
    rename(page, "Rhea")
    page.keyboard.press("Control+s")
    page.wait_for_selector("dialog:has-text('changed elsewhere')")
    page.click("dialog button:has-text('Cancel')")
    assert (project / "shared.toml").read_text().endswith("# by hand\n")
    warning = page.locator(".toast:has-text('in another tab')")
    assert warning.count() == 1
    go(other, "#/fight")
    warning.wait_for(state="detached")


def test_own_work_stands_first_and_is_renamed_doubled_and_deleted(page: Any, project: Path) -> None:
    (project / "mine.toml").write_text(SHORT, encoding="utf-8")
    open_gallery(page)
    own = page.locator("[data-own='mine.toml']")
    own.wait_for()
    first = page.evaluate("""() => {
        const [own, shipped] = ["[data-own]", "[data-scene]"].map((one) => document.querySelector(one));
        return own.compareDocumentPosition(shipped);
    }""")
    assert first & 4  # the gallery's own come after it
    own.locator("text=Duplicate").click()
    page.fill("dialog input", "other.toml")
    page.click("dialog button:has-text('Duplicate')")
    page.locator("[data-own='other.toml']").wait_for()
    page.locator("[data-own='other.toml'] >> text=Rename").click()
    page.fill("dialog input", "third.toml")
    page.click("dialog button:has-text('Rename')")
    page.locator("[data-own='third.toml']").wait_for()
    assert not (project / "other.toml").exists()
    page.locator("[data-own='third.toml'] >> text=Delete").click()
    page.locator("[data-own='third.toml']").wait_for(state="detached")
    assert not (project / "third.toml").exists()
    picture(page, "gallery-own")
    page.click(".toast button:has-text('Undo')")
    page.locator("[data-own='third.toml']").wait_for()
    assert (project / "third.toml").read_text() == SHORT


def test_a_take_of_a_live_session_is_taken_further(page: Any, project: Path) -> None:
    open_text(page, project, "live.toml", SHORT.replace("seconds = 1.0", "seconds = 6.0"))
    page.click("button:has-text('Play live')")
    until(page, "() => randori.view.store?.newest > 90")
    field = page.get_by_label("Distance").first
    field.fill("1.5")
    field.press("Enter")
    until(page, "() => randori.view.answered.length > 0")
    newest = page.evaluate("() => randori.view.store.newest")
    until(page, "old => randori.view.store.newest > old + 60", newest)
    page.click("button:has-text('Keep as a take')")
    until(page, "() => randori.view.show?.take")
    kept = take_of(page)
    number = next(mark["number"] for mark in kept["decisions"] if mark["options"] > 3 and mark["tick"] > 30)
    page.evaluate("number => randori.view.selectDecision(number)", number)
    page.wait_for_selector(".option:not(.chosen) [data-course]")  # they are sorted for the last time
    other = page.locator(".option:not(.chosen)").last
    action = int(other.get_attribute("data-action"))
    other.locator("button").click()
    after = next_take(page, kept["take"])
    assert after["decisions"][number]["action"] == action
    assert after["decisions"][:number] == kept["decisions"][:number]
    assert "[[inputs]]" in text_of(page)


def test_teams_of_several_fighters_are_made_on_the_stage(page: Any, project: Path) -> None:
    duel = SHORT.replace("seconds = 1.0", "seconds = 6.0")
    open_text(page, project, "teams.toml", duel)
    first = take_of(page)
    page.keyboard.press("a")
    page.wait_for_selector(".palette")
    look_down(page)
    add(page, "Boxer", -1.5, 1.0)
    add(page, "Boxer", 1.5, 1.0)
    teams = "() => randori.view.file.document.values.cast.map(({ team }) => team)"
    assert sorted(page.evaluate(teams)) == [0, 0, 1, 1]  # a new fighter joins the smaller team
    until(page, "() => randori.view.show.take.header.characters.length === 4")
    two_each = next_take(page, first["take"])
    assert sorted(role["team"] for role in two_each["characters"]) == [0, 0, 1, 1]
    assert attackers(two_each) == {0, 1, 2, 3}
    picture(page, "teams-two-each")

    page.keyboard.press("Escape")
    third = page.locator("[data-group=member-2]")
    if third.get_attribute("open") is None:
        third.locator("summary").first.click()
    other = 1 - page.evaluate(teams)[2]
    third.locator(f"[data-team='{other}']").click()
    until(page, "team => randori.view.file.document.values.cast[2].team === team", other)
    three = next_take(page, two_each["take"])
    assert [role["team"] for role in three["characters"]] == page.evaluate(teams)
    assert sorted(map(page.evaluate(teams).count, (0, 1))) == [1, 3]
    picture(page, "teams-three-to-one")


def attackers(take: dict[str, Any]) -> set[int]:
    """Numbers of the characters that attack in a take."""
    return {
        number
        for number, role in enumerate(take["characters"])
        for block in role["blocks"]
        if block["kind"] == "attack"
    }
