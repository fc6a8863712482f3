"""From dropped recordings to a fight, in a real browser."""

import shutil
from pathlib import Path
from typing import Any

import pytest

from randori.performer import perform
from randori.scene.export import save
from studio.browsing import drop, open_gallery, picture, take_of, until
from studio.recordings import HEAD, without_head
from studio.serving import Client

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Nothing: all there is comes with what is dropped."""
    return tmp_path_factory.mktemp("fight")


@pytest.fixture(scope="module")
def recordings(tmp_path_factory: pytest.TempPathFactory) -> list[Path]:
    """Ten recordings: eight that fight, one whose head is not recognised, one that is broken."""
    folder = tmp_path_factory.mktemp("recordings")
    paths = []
    for number in range(8):
        name = "reactions" if number == 7 else "boxing"
        path = folder / f"{name}-{number}.bvh"
        save(perform(name, 30.0 if number == 7 else 12.0, seed=20 + number)[0].clip, path)
        paths.append(path)
    headless = folder / "headless.bvh"
    save(without_head(perform("boxing", 12.0, seed=30)[0].clip), headless)
    broken = folder / "broken.bvh"
    broken.write_text("HIERARCHY\nROOT", encoding="utf-8")
    return [*paths, headless, broken]


def contents(files: list[Path]) -> dict[str, bytes]:
    """What is dropped of some files."""
    return {file.name: file.read_bytes() for file in files}


def test_dropped_recordings_fight_after_one_click(page: Any, client: Client, recordings: list[Path]) -> None:
    project = client.studio.project.folder
    open_gallery(page)
    drop(page, ".gallery", contents(recordings))
    page.wait_for_selector("[data-fight]", timeout=240_000)

    words = page.locator("[data-summary]").inner_text()
    assert "attacks" in words
    assert "steps" in words
    assert "broken.bvh" in page.locator(".found .problem").inner_text()
    assert "head" in page.locator("[data-aside='headless.bvh']").inner_text()
    assert sorted(path.name for path in (project / "recordings").glob("*.bvh")) == sorted(
        path.name for path in recordings[:8]
    )
    picture(page, "fight-found")

    page.click("[data-fight]")
    until(page, "() => randori.view.show?.take && !randori.view.show.take.header.draft")
    take = take_of(page)
    assert sum(event["kind"] == "hit" for event in take["events"]) > 0
    assert take["frames"] / take["fps"] > 15.0
    assert "my-fight.toml" in page.locator(".bar").inner_text()
    page.click("[role=tab]:has-text('Scene')")
    page.click("summary:has-text('Motions: recordings')")
    until(page, "() => document.querySelectorAll('[data-recordings] input:checked').length === 8")
    picture(page, "fight-made")


def test_what_was_set_aside_is_repaired_or_deleted(page: Any, client: Client, recordings: list[Path]) -> None:
    project = client.studio.project.folder
    with page.expect_response("**/library/upload*"):  # a card of an earlier test may be there already
        drop(page, ".fight", contents([recordings[8]]))
    card = page.locator("[data-aside='headless.bvh']")
    card.wait_for()
    assert not (project / "recordings" / "headless.bvh").exists()
    card.locator("summary").click()
    card.locator("button:has-text('Repair')").click()  # nothing was chosen: it says so and stays
    page.wait_for_selector(".toast:has-text('not recognised: head')")
    card.locator("[data-part=head]").select_option(HEAD)
    picture(page, "fight-repair")
    card.locator("button:has-text('Repair')").click()
    page.wait_for_selector("[data-recording='headless.npz']")
    assert (project / "recordings" / "headless.npz").is_file()
    assert not (project / "recordings" / "aside" / "headless.bvh").exists()

    shutil.copyfile(recordings[8], project / "recordings" / "by-hand.bvh")  # nobody has looked at it
    page.reload()
    page.locator("[data-aside='by-hand.bvh']").wait_for(timeout=240_000)
    page.locator("[data-aside='by-hand.bvh'] button:has-text('Delete')").click()
    page.click("dialog button:has-text('Delete')")
    page.locator("[data-aside='by-hand.bvh']").wait_for(state="detached")
    assert not list(project.rglob("by-hand*"))
