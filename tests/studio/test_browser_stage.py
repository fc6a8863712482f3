"""Own characters, camera cuts, films and moments of the quality report: in a real browser."""

from pathlib import Path
from typing import Any

import pytest

from character_samples import box_person, write_character
from studio.browsing import (
    SHORT,
    drag,
    drop,
    next_take,
    open_scene,
    open_text,
    picture,
    take_of,
    text_of,
    until,
)
from studio.serving import Client

pytestmark = pytest.mark.slow
# metres between each joint of the body and the node of the file that follows it, at most
OFF = """() => {
    const { crowd } = randori.view.stage, worn = crowd.worn.get(0), { joints } = crowd;
    return Math.max(...worn.nodes.filter((one) => one.joint >= 0).map(({ object, joint }) => {
        const at = crowd.offset(0) + 8 * joint, where = object.matrixWorld.elements;
        return Math.hypot(where[12] - joints[at], where[13] - joints[at + 1], where[14] - joints[at + 2]);
    }));
}"""
# the lowest and the highest vertex of the skin, as it is drawn
SPAN = """() => {
    const heights = [], { crowd } = randori.view.stage;
    crowd.worn.get(0).root.traverse((mesh) => {
        if (!mesh.isSkinnedMesh) return;
        mesh.updateMatrixWorld();
        mesh.skeleton.update();
        const point = mesh.position.clone();
        for (let v = 0; v < mesh.geometry.getAttribute("position").count; v++) {
            mesh.getVertexPosition(v, point);
            heights.push(point.applyMatrix4(mesh.matrixWorld).y);
        }
    });
    return [Math.min(...heights), Math.max(...heights)];
}"""


@pytest.fixture(autouse=True)
def short(page: Any) -> None:
    """All tests begin with the short scene on the stage."""
    open_scene(page, file="short.toml")


def test_a_character_is_dropped_onto_somebody_and_shown_in_its_skin(
    page: Any, client: Client, tmp_path: Path
) -> None:
    made = write_character(tmp_path / "box.glb", *box_person(unit=0.01))
    before = take_of(page)["take"]
    drop(page, "[data-group=member-0] summary", {"notes.glb": b"no mesh"})
    page.wait_for_selector(".toast:has-text('notes.glb')")
    page.click(".toast button")
    drop(page, "[data-group=member-0] summary", {"box.glb": made.read_bytes()})
    header = next_take(page, before)
    assert [row["costume"] for row in header["characters"]] == [0, -1]
    assert 'character = "characters/box.glb"' in text_of(page)
    until(page, "() => randori.view.stage.crowd.worn.size === 1")
    page.evaluate("() => { randori.view.player.seek(0.5); randori.view.show.pose(); }")
    assert page.evaluate(OFF) < 1e-4
    low, high = page.evaluate(SPAN)
    assert -0.05 < low < 0.1  # its soles are on the floor, and it is as tall as a person
    assert 1.3 < high < 2.2
    rows = page.evaluate("() => randori.view.stage.crowd.rows.map(({ geometry }) => geometry.instanceCount)")
    assert sum(rows) == 1  # no mannequin is drawn inside
    picture(page, "own-character")
    page.select_option("[data-group=member-0] [data-key=character] select", "")
    assert [row["costume"] for row in next_take(page, header["take"])["characters"]] == [-1, -1]


def test_a_character_plays_live_in_its_skin(page: Any, project: Path) -> None:
    write_character(project / "live.glb", *box_person(unit=0.01))
    own = SHORT.replace('name = "Red"', 'name = "Red"\ncharacter = "live.glb"')
    open_text(page, project, "live.toml", own)
    page.click("button:has-text('Play live')")
    until(page, "() => randori.view.store?.newest > 40")
    until(page, "() => randori.view.stage.crowd.worn.size === 1")
    until(page, "() => { randori.view.frame(); return randori.view.clock.tick > 30; }")
    assert page.evaluate(OFF) < 1e-4
    low, high = page.evaluate(SPAN)
    assert -0.1 < low < 0.15
    assert 1.2 < high < 2.2
    picture(page, "own-character-live")


def test_cameras_are_cut_on_a_lane_and_filmed(page: Any, client: Client) -> None:
    look = "([position]) => { randori.view.cameras.setFollowing(null);" + (
        "randori.view.stage.cameras.look({ position, target: [0, 1, 0] }); }"
    )
    before = take_of(page)["take"]
    for time, position in ((0.0, [0, 2, 5]), (0.5, [5, 1, 0])):
        page.evaluate("time => { randori.view.player.seek(time); }", time)
        page.evaluate("() => randori.view.afterFrame()")
        page.evaluate(look, [position])
        page.keyboard.press("c")
    until(page, "() => randori.view.cuts?.length === 2")
    where = "() => randori.view.stage.cameras.camera.position.toArray().map(Math.round)"
    for time, position in ((0.2, [0, 2, 5]), (0.7, [5, 1, 0])):
        page.evaluate("time => { randori.view.player.seek(time); return randori.view.afterFrame(); }", time)
        assert page.evaluate(where) == position
    place = page.evaluate("""() => {
        const { timeline } = randori.view, box = timeline.canvas.getBoundingClientRect();
        const { perSecond } = timeline.scale;
        return [box.left + 118 + perSecond * 0.5, box.top + timeline.cutsTop + 8, perSecond];
    }""")
    drag(page, (place[0], place[1]), (place[0] + 0.25 * place[2], place[1]))
    assert page.evaluate("() => randori.view.cuts[1].time") == pytest.approx(0.75, abs=0.05)
    picture(page, "camera-cuts")
    assert text_of(page).count("[[shots]]") == 2
    assert take_of(page)["take"] == before  # nothing was simulated anew
    page.reload()  # they are kept with the scene
    until(page, "() => randori.view.cuts?.length === 2")
    page.evaluate("""() => {
        const { player } = randori.view;
        player.pause();
        for (const [time, end] of [[0.7, "in"], [0.8, "out"]]) {
            player.seek(time);
            player.mark(end);
        }
    }""")
    page.click("[role=tab]:has-text('Quality')")
    page.click("[data-format=film]")
    page.wait_for_selector("[data-exported] a", timeout=120_000)
    film = client.studio.project.folder / "exports" / "short-stage.mp4"
    assert film.read_bytes()[4:8] == b"ftyp"


def test_a_line_of_the_report_shows_its_worst_moment(page: Any) -> None:
    lines = {line["text"].split(":")[0]: line for line in take_of(page)["quality"]["sentences"]}
    page.click("[role=tab]:has-text('Quality')")
    page.click("[data-line=heads] button")
    tick, who = lines["heads"]["tick"], lines["heads"]["who"]
    assert page.evaluate("() => randori.view.player.time") == pytest.approx(tick / take_of(page)["fps"])
    assert page.evaluate("() => randori.view.stage.selected") == who
    picture(page, "worst-moment")


def test_lists_and_teams_need_no_typing_with_commas(page: Any) -> None:
    values = "randori.view.file.document.values.cast[0]"
    page.click("[data-group=member-0] [data-team='1']")
    until(page, f"() => {values}.team === 1")
    page.keyboard.press("Control+z")
    until(page, f"() => ({values}.team ?? 0) === 0")
    page.click("[data-group=more-0] > summary")
    for word in ("duck", "left jab"):
        page.fill("[data-group=member-0] [data-key=wanted] input", word)
        page.keyboard.press("Enter")
        until(page, f"word => {values}.wanted?.includes(word)", word)
    page.click("[aria-label='Remove duck']")
    until(page, f"() => {values}.wanted.join() === 'left jab'")
    page.keyboard.press("Control+z")
    page.select_option("[data-group=member-0] [data-key=controller] select", "policy")
    until(page, f"() => {values}.controller === 'policy'")
    text = text_of(page)
    assert "wanted" not in text  # another controller does not know these keys
    assert text.count("depth") == 1


def test_more_takes_come_in_the_background_and_two_are_compared(page: Any) -> None:
    page.click("[role=tab]:has-text('Takes')")
    page.click("[data-more]")
    page.wait_for_selector(".take[data-seed='2']", timeout=120_000)
    page.click("button:has-text('Stop')")
    page.wait_for_selector(".take[data-seed='2'] img")  # it has a picture, though it was not on the stage
    page.click(".take[data-seed='2'] button:has-text('Compare')")
    page.wait_for_selector("[data-beside]")
    page.evaluate("() => { randori.view.player.seek(0.6); return randori.view.afterFrame(); }")
    assert page.evaluate("() => randori.view.comparison.show.player.time") == pytest.approx(0.6)
    picture(page, "compared")
    page.click("[data-beside] button:has-text('Close')")
    assert page.locator("[data-beside]").count() == 0
    before = take_of(page)
    page.click(".take[data-seed='2'] button:has-text('Use')")
    assert (next_take(page, before["take"])["seed"], before["seed"]) == (2, 1)
    page.reload()
    page.click("[role=tab]:has-text('Takes')")
    page.wait_for_selector(".take[data-seed='1'] button:has-text('Use')")  # the shelf is there again
