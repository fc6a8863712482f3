"""The studio as somebody uses it: in a real browser, against a real server."""

import json
import shutil
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from PIL import Image

from randori.formats import bvh
from randori.performer import perform
from randori.scene.export import save
from randori.scene.scene import shipped_scenes
from studio.browsing import (
    drag,
    go,
    next_take,
    on_page,
    open_gallery,
    open_scene,
    open_text,
    opened_page,
    roots_of,
    take_of,
    told,
    until,
)
from studio.serving import Client

pytestmark = pytest.mark.slow  # most of the time is spent in the browser
ROOT = Path(__file__).parents[2]
NODE = shutil.which("node", path=str(Path(sys.executable).parent)) or shutil.which("node")
VALIDATOR = ROOT / "node_modules" / "gltf-validator"
LOOKS_AHEAD = 0.5  # seconds for which a join bends the body towards what comes
SCENE = """# What an animator wrote stays as it is.
title = "Along a path"
seconds = 4.0

[motions.ring]
library = "ring.npz"
choices = 12

[[cast]]
name = "Red"
style = "boxer-on-path"
depth = 2
weights = { path_weight = 100000.0 }

[[cast]]
name = "Blue"
style = "boxer-on-path"
depth = 2
team = 1
weights = { path_weight = 100000.0 }

[[path]]
place = [3.0, 1.0] # the way out
"""

HARD_TO_READ = Path(__file__).with_name("hard_to_read.js").read_text(encoding="utf-8")


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory, ring_with_reactions: bytes) -> Path:
    """A project with a small library, a scene on a path, a recording and a broken one."""
    folder = tmp_path_factory.mktemp("studio")
    (folder / "ring.npz").write_bytes(ring_with_reactions)
    (folder / "path.toml").write_text(SCENE, encoding="utf-8")
    recording = folder / "outside" / "shadow-boxing.bvh"
    recording.parent.mkdir()
    save(perform("boxing", 15.0, seed=3)[0].clip, recording)
    lines = recording.read_text().splitlines()
    (recording.parent / "broken.bvh").write_text("\n".join([*lines[:-20], lines[-20] + " nan"]))
    return folder


def test_the_gallery_is_one_click_away_from_a_moving_fight(page: Any) -> None:
    open_gallery(page)
    assert page.locator("[data-scene]").count() == len(shipped_scenes())
    page.click("[data-scene=boxing]")
    until(page, "() => randori.view.show?.take")
    until(page, "() => randori.view.player.playing && randori.view.player.time > 0.2")
    first = page.evaluate("() => [...randori.view.stage.crowd.joints]")
    moved = until(
        page, "old => randori.view.stage.crowd.joints.some((n, i) => Math.abs(n - old[i]) > 0.02)", first
    )
    assert moved


def test_everything_is_reached_by_keyboard_and_can_be_read(page: Any) -> None:
    open_gallery(page)
    for _ in range(30):
        page.keyboard.press("Tab")
        if page.evaluate("() => document.activeElement.dataset.scene === 'boxing'"):
            break
    assert page.evaluate("() => getComputedStyle(document.activeElement).outlineStyle") == "solid"
    assert not page.evaluate(HARD_TO_READ)
    go(page, "#/scene?file=path.toml")
    page.wait_for_selector("[data-key=depth]")
    assert not page.evaluate(HARD_TO_READ)
    assert page.evaluate("() => document.documentElement.scrollWidth") <= 1280
    for view, shown in (("library", "[data-library]"), ("live", "[data-session]")):
        go(page, f"#/{view}")
        page.wait_for_selector(shown)
        assert not page.evaluate(HARD_TO_READ)
        assert page.evaluate("() => document.documentElement.scrollWidth") <= 1280
    go(page, "#/scene?file=path.toml")
    page.wait_for_selector("[data-key=depth]")
    page.evaluate("() => { document.querySelector('.bar').append('faint'); }")
    page.evaluate("() => { document.querySelector('.bar').style.color = '#555'; }")
    assert page.evaluate(HARD_TO_READ)


def test_scrubbing_never_asks_the_server(page: Any) -> None:
    open_scene(page, file="path.toml")
    asked: list[str] = []
    page.on("request", lambda request: asked.append(request.url))
    box = page.locator(".timeline canvas").bounding_box()
    seen = []
    for share in (0.3, 0.5, 0.8):
        page.mouse.click(box["x"] + 118 + share * (box["width"] - 118), box["y"] + 8)
        seen.append(page.evaluate("() => randori.view.player.time"))
    assert seen == sorted(seen)
    assert seen[-1] - seen[0] > 2.0
    time = page.evaluate("() => randori.view.player.time")
    page.keyboard.press(".")
    until(page, "old => Math.abs(randori.view.player.time - old) > 0.01", time)
    assert not asked


def test_a_dragged_checkpoint_is_followed_and_undo_takes_it_back(page: Any) -> None:
    open_scene(page, file="path.toml")
    before = take_of(page)
    assert before["path"][0]["place"] == [3.0, 1.0]
    middle = middle_at_the_end(page)
    page.evaluate("() => randori.view.stage.cameras.look({ position: [-1, 9, 11], target: [0, 0, 1] })")
    page.evaluate("() => { randori.view.stage.cameras.following = null; }")
    drag(page, on_page(page, 3.0, 0.0, 1.0), on_page(page, -3.0, 0.0, 1.0))
    after = next_take(page, before["take"])
    place = after["path"][0]["place"]
    assert np.hypot(place[0] + 3.0, place[1] - 1.0) < 0.3
    assert middle_at_the_end(page) < middle - 0.3  # they went the other way

    page.click("button:has-text('Undo')")
    assert next_take(page, after["take"])["take"] == before["take"]


def middle_at_the_end(page: Any) -> float:
    """x of the two fighters' middle in the last frame."""
    return float(np.mean([roots_of(page, who)[-3] for who in (0, 1)]))


def test_another_option_is_taken_and_the_past_stays(page: Any) -> None:
    open_scene(page, file="path.toml")
    before = take_of(page)
    number = next(mark["number"] for mark in before["decisions"] if mark["tick"] > 2.0 * before["fps"])
    block = next(
        block for role in before["characters"] for block in role["blocks"] if block["decision"] == number
    )
    who = before["decisions"][number]["who"]
    roots = [np.reshape(roots_of(page, one), (-1, 3)) for one in (0, 1)]
    box = page.locator(".timeline canvas").bounding_box()
    seconds = 1.02 * (before["frames"] - 1) / before["fps"]
    middle = 0.5 * (block["start"] + block["stop"]) / before["fps"]
    page.mouse.click(box["x"] + 118 + middle / seconds * (box["width"] - 118), box["y"] + 24 + 36 * who + 12)
    page.wait_for_selector(".option.chosen [data-course]")  # what tells it from others of its name
    action = int(page.locator(".option:not(.chosen)").last.get_attribute("data-action"))
    other = page.locator(f".option[data-action='{action}']")
    other.hover()
    until(page, "() => randori.view.stage.ghost !== null")
    other.locator("button").click()
    after = next_take(page, before["take"])

    assert after["decisions"][number]["action"] == action != before["decisions"][number]["action"]
    assert after["decisions"][:number] == before["decisions"][:number]
    kept = int(before["decisions"][number]["tick"] - LOOKS_AHEAD * before["fps"])
    for one in (0, 1):
        now = np.reshape(roots_of(page, one), (-1, 3))
        assert np.array_equal(now[:kept], roots[one][:kept])
    page.wait_for_selector(f".option.chosen[data-action='{action}']")  # the decision is still being looked at
    page.click("button:has-text('Unpin')")
    assert next_take(page, after["take"])["take"] == before["take"]


def test_a_row_of_the_table_is_edited_and_the_file_keeps_its_comments(page: Any, project: Path) -> None:
    open_text(page, project, "mine.toml", SCENE)
    page.click("[role=tab]:has-text('Table')")
    cell = page.locator("[data-key='duck/jab']")
    usual = cell.input_value()
    cell.fill("0.9")
    cell.press("Enter")
    page.wait_for_selector("text=Amended by you")
    until(page, "() => document.querySelector(\"[data-key='duck/jab']\").classList.contains('own')")
    page.keyboard.press("Control+s")
    page.wait_for_selector(".toast:has-text('Saved')")
    saved = (project / "mine.toml").read_text(encoding="utf-8")
    assert saved.startswith(SCENE)
    assert "[[combination]]" in saved
    assert "suitability = 0.9" in saved
    page.click("button:has-text('Undo')")
    until(page, "usual => document.querySelector(\"[data-key='duck/jab']\").value === usual", usual)


def test_a_value_that_is_no_good_is_explained_where_it_stands(page: Any) -> None:
    open_scene(page, file="path.toml")
    page.click("[role=tab]:has-text('Text')")
    area = page.locator("textarea")
    area.fill(SCENE.replace("depth = 2", "depth = 20", 1))
    page.click("button:has-text('Apply')")
    problem = page.locator("[role=alert]").first
    problem.wait_for()
    assert "cast[1].depth" in problem.inner_text()
    page.click("button:has-text('Undo')")
    problem.wait_for(state="detached")


def test_a_weight_changes_while_a_fight_runs_and_the_fight_is_kept(page: Any) -> None:
    open_scene(page, file="path.toml")
    page.click("button:has-text('Play live')")
    until(page, "() => randori.view.store?.newest > 30")
    field = page.get_by_label("Distance").first
    assert field.input_value() == "0.8"
    field.fill("2.5")
    field.press("Enter")
    until(page, "() => randori.view.answered.length > 0")  # it took effect, and is seen
    until(page, "() => randori.view.decided.length > 0")  # somebody has decided since
    slider = page.locator(".panel .field.weight input[type=range]").first
    slider.focus()
    slider.press("ArrowRight")  # an arrow key on a slider moves it, and nobody on the stage
    assert slider.input_value() == "51"
    assert not page.evaluate("() => randori.view.goal.visible")
    newest = page.evaluate("() => randori.view.store.newest")
    until(page, "old => randori.view.store.newest > old + 30", newest)
    page.click("button:has-text('Keep as a take')")
    until(page, "() => randori.view.show?.take")
    kept = take_of(page)
    assert kept["frames"] > newest
    assert [role["name"] for role in kept["characters"]] == ["Red", "Blue"]
    assert not told(page)


def test_recordings_come_in_and_a_broken_one_says_what_is_wrong(page: Any, project: Path) -> None:
    go(page, "#/library")
    page.wait_for_selector("[data-library]")
    page.set_input_files("input[type=file]", [str(project / "outside" / "broken.bvh")])
    page.wait_for_selector(".toast")
    assert "broken.bvh, line" in told(page)
    assert not (project / "recordings" / "broken.bvh").exists()

    page.set_input_files("input[type=file]", [str(project / "outside" / "shadow-boxing.bvh")])
    page.wait_for_selector(".action", timeout=120_000)
    assert (project / "recordings" / "shadow-boxing.bvh").is_file()
    assert page.locator(".uses li").first.inner_text().split()[:2] == ["hardly", "duel"]
    assert page.locator(".useful h3").all_text_contents() == ["Missing", "Record next"]
    count = page.locator(".action").count()
    page.fill("input[type=search]", "jab")
    found = page.locator(".action").count()
    assert 0 < found < count
    until(page, "() => document.querySelector('select[aria-label=kind]')?.disabled === false")
    sidecar = project / "recordings" / "shadow-boxing.bvh.actions.toml"
    before = sidecar.read_text(encoding="utf-8").count('"defence"')
    page.select_option("select[aria-label=kind]", "defence")
    page.wait_for_selector(".toast:has-text('Written beside')")
    assert sidecar.read_text(encoding="utf-8").count('"defence"') == before + 1


def handed_over(page: Any, folder: Path, format: str) -> dict[str, Path]:
    """Export a take, and download everything that was written; by their names."""
    written = page.locator("[data-exported]")
    before = written.count()
    page.click(f"[data-format={format}]")
    written.nth(before).wait_for(timeout=120_000)
    links = written.first.locator("a:has-text('Download')")  # the newest stands above the others
    found = {}
    for number in range(links.count()):
        with page.expect_download() as waiting:
            links.nth(number).click()
        name = waiting.value.suggested_filename
        found[name] = folder / name
        waiting.value.save_as(found[name])
    return found


def shows_its_quality(page: Any) -> bool:
    """Whether the take's report stands in the page, sentence by sentence."""
    sentences = [one["text"] for one in take_of(page)["quality"]["sentences"]]
    return len(sentences) > 3 and page.locator(".checks").first.locator("li").all_inner_texts() == sentences


@pytest.fixture(scope="module")
def hand_over(browser: Any, client: Client, project: Path) -> Iterator[Any]:
    """A page that shows a take of half a second, open at its export: for all that is exported of it."""
    with opened_page(browser, client) as page:
        open_text(page, project, "short.toml", SCENE.replace("seconds = 4.0", "seconds = 0.5"))
        page.click("[role=tab]:has-text('export')")
        assert shows_its_quality(page)
        yield page


def test_a_take_is_handed_over_as_a_valid_glb(hand_over: Any, tmp_path: Path) -> None:
    path = handed_over(hand_over, tmp_path, "glb")["along-a-path.glb"]
    assert path.read_bytes()[:4] == b"glTF"
    if not (NODE and VALIDATOR.exists()):
        pytest.skip("the glTF validator is not installed: `make test` does it")
    script = ROOT / "tests" / "formats" / "validate.mjs"
    ran = subprocess.run([NODE, script, path], capture_output=True, text=True, check=True)
    issues = json.loads(ran.stdout)
    assert (issues["numErrors"], issues["numWarnings"]) == (0, 0), issues["messages"][:5]


def test_bvh_files_hold_what_the_stage_shows(hand_over: Any, tmp_path: Path) -> None:
    files, short_take = handed_over(hand_over, tmp_path, "bvh"), take_of(hand_over)
    for who, role in enumerate(short_take["characters"]):
        (path,) = [path for name, path in files.items() if role["name"].lower() in name.lower()]
        clip = bvh.read(path)
        shown = np.reshape(roots_of(hand_over, who), (-1, 3))
        assert len(clip) == short_take["frames"]
        assert np.abs(clip.root_position - shown).max() < 1e-3
    (report,) = [path for name, path in files.items() if name.endswith(".json")]
    assert json.loads(report.read_text())["quality"]


def test_a_film_shows_the_whole_take(hand_over: Any, tmp_path: Path) -> None:
    ffmpeg = pytest.importorskip("imageio_ffmpeg")
    files, short_take = handed_over(hand_over, tmp_path, "mp4"), take_of(hand_over)
    path = next(path for name, path in files.items() if name.endswith("mp4"))
    frames = ffmpeg.read_frames(str(path))
    about = next(frames)
    assert about["size"] == (1280, 720)
    assert about["duration"] == pytest.approx(short_take["frames"] / short_take["fps"], abs=0.1)
    first = np.frombuffer(next(frames), np.uint8)
    last = np.frombuffer(list(frames)[-1], np.uint8)
    assert first.std() > 5.0
    assert (first != last).any()


def test_usd_has_everybody_and_every_frame(hand_over: Any, tmp_path: Path) -> None:
    pxr = pytest.importorskip("pxr", reason="USD is an extra: pip install 'randori[usd]'")
    from pxr import Usd, UsdSkel

    assert pxr
    files, short_take = handed_over(hand_over, tmp_path, "usd"), take_of(hand_over)
    path = next(path for name, path in files.items() if name.endswith("usd"))
    stage = Usd.Stage.Open(str(path))
    assert len([prim for prim in stage.Traverse() if prim.IsA(UsdSkel.Skeleton)]) == 2
    assert stage.GetEndTimeCode() - stage.GetStartTimeCode() == short_take["frames"] - 1


def test_a_still_shows_the_stage(hand_over: Any, tmp_path: Path) -> None:
    with hand_over.expect_download() as waiting:
        hand_over.click("button:has-text('Still')")
    waiting.value.save_as(tmp_path / "still.png")
    with Image.open(tmp_path / "still.png") as picture:
        assert picture.width == 1920
        assert np.asarray(picture.convert("L")).std() > 5.0
