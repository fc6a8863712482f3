"""The pictures of docs/studio.md: the studio in a real browser, with the built-in performer.

`python docs/images/make_studio.py [NAME…]` makes all of them, or only those that are named.
"""

import sys
import tempfile
import time
from pathlib import Path
from typing import Any

sys.path.insert(0, str(Path(__file__).parents[2] / "tests"))

from randori.scene.scene import Scene, shipped_scenes
from randori.studio.gallery import picture_path
from randori.studio.launch import page_folder
from randori.studio.takes import draft_of
from randori.studio.tasks import show_in_gallery
from randori.work import finish
from studio.browsing import chromium, open_scene, until
from studio.serving import TOKEN, Client, served

OUT = Path(__file__).parent
SIZE = {"width": 1440, "height": 860}
FIRST_ROW = 5  # scenes in it
SETTLE = 2.5  # seconds for the last picture to be drawn


def gallery(page: Any) -> None:
    until(page, "() => randori.view.show?.take")
    page.evaluate("() => { randori.view.show.player.pause(); randori.view.show.player.seek(1.45); }")


def why(page: Any) -> None:
    """A decision, its options, and one of them as a ghost."""
    open_scene(page, gallery="boxing")
    attacks = """() => {
        const { header } = randori.view.show.take;
        return header.characters.flatMap((role) => role.blocks)
            .filter((block) => block.kind === "attack" && block.decision >= 0 && block.start > 3 * header.fps)
            .map((block) => block.decision);
    }"""
    page.evaluate("number => randori.view.selectDecision(number)", page.evaluate(attacks)[0])
    page.wait_for_selector(".option.chosen")
    page.locator(".option:not(.chosen)").nth(1).hover()
    until(page, "() => randori.view.stage.ghost !== null")
    page.evaluate(
        """() => {
            const { stage } = randori.view, { cameras } = stage, red = stage.place(0), blue = stage.place(1);
            // across the line between them
            const from = red.clone().set(blue.z - red.z, 0.3, red.x - blue.x);
            cameras.look(cameras.framing(stage.bounds(), from));
        }"""
    )


def path(page: Any) -> None:
    open_scene(page, gallery="boxing-along-a-path")
    page.click("[role=tab]:has-text('Path')")
    page.click(".cameras button:has-text('Trails')")
    page.click("summary:has-text('Checkpoint 3')")
    page.evaluate("() => { randori.view.player.pause(); randori.view.player.seek(11.2); }")
    page.evaluate("() => randori.view.cameras.setFollowing(null)")
    page.evaluate(
        "() => randori.view.stage.cameras.look({ position: [-1.6, 3.1, 4.4], target: [1.2, 0.6, 0.5] })"
    )


def library(page: Any) -> None:
    page.evaluate("() => { location.hash = '#/library'; }")
    page.click("[data-library=boxing]")
    page.wait_for_selector(".action", timeout=300_000)
    page.fill("input[type=search]", "left head")
    page.locator(".action").nth(2).click()


def live(page: Any) -> None:
    page.evaluate("() => { location.hash = '#/live?session=boxing'; }")
    until(page, "() => randori.view.store?.newest > 240", patience=600)


def fill_gallery(client: Client) -> None:
    """Make what the gallery shows without scrolling."""
    project, takes = client.studio.project, client.studio.takes
    for name in ("boxing", *sorted(shipped_scenes())[:FIRST_ROW]):
        scene = draft_of(Scene.load(name))
        picture = picture_path(takes, scene)
        finish(show_in_gallery(str(project.folder), name, takes.name_of(scene), str(picture)))


def main() -> None:
    shots = {function.__name__: function for function in (gallery, why, path, library, live)}
    chosen = sys.argv[1:] or list(shots)
    with (
        tempfile.TemporaryDirectory() as folder,
        served(Path(folder), page_folder()) as client,
        chromium() as browser,
    ):
        if "gallery" in chosen:
            fill_gallery(client)
        for name in chosen:
            page = browser.new_page(viewport=SIZE)
            page.goto(f"http://127.0.0.1:{client.port}/?token={TOKEN}")
            shots[name](page)
            time.sleep(SETTLE)
            page.screenshot(path=OUT / f"studio-{name}.png")
            page.close()


if __name__ == "__main__":
    main()
