"""A real Chromium in front of the studio, and what tests do with its page again and again."""

import os
import shutil
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest

from studio.serving import TOKEN, Client

FLAGS = (
    "--headless=new",
    "--no-sandbox",
    "--use-gl=angle",
    "--use-angle=swiftshader",
    "--enable-unsafe-swiftshader",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
    "--no-first-run",
)
SHORT = """title = "Short"
seconds = 1.0

[motions.ring]
library = "ring.npz"
choices = 12

[[cast]]
name = "Red"
depth = 1

[[cast]]
name = "Blue"
depth = 1
team = 1
"""  # a scene of the project that all tests share, see conftest.py
_NAMES = ("chromium", "chromium-browser", "google-chrome", "google-chrome-stable")
_PATIENCE = 300.0  # seconds, on a busy machine

# Without a graphics card a picture of two fighters takes 0.2 s of processor time, and as many are drawn as
# the machine can: the tests need a few of them, and they may be coarse.
DRAW_SELDOM = """
window.requestAnimationFrame = (draw) => setTimeout(() => draw(performance.now()), 1000);
window.cancelAnimationFrame = clearTimeout;
"""
DRAW_COARSELY = "Object.defineProperty(window, 'devicePixelRatio', { get: () => 0.25 });"
DROP = """([selector, files]) => {
    const carried = new DataTransfer();
    for (const [name, bytes] of files) {
        carried.items.add(new File([Uint8Array.from(bytes, (one) => one.charCodeAt(0))], name));
    }
    const target = document.querySelector(selector), box = target.getBoundingClientRect();
    for (const kind of ["dragover", "drop"]) {
        target.dispatchEvent(new DragEvent(kind, { bubbles: true, cancelable: true, dataTransfer: carried,
            clientX: box.left + 4, clientY: box.top + 4 }));
    }
}"""


@contextmanager
def chromium() -> Iterator[Any]:
    """A browser; skips, with the reason, where there is none."""
    sync = pytest.importorskip("playwright.sync_api", reason="playwright is not installed")
    program = os.environ.get("RANDORI_BROWSER") or next(filter(None, map(shutil.which, _NAMES)), None)
    if program is None:
        pytest.skip("there is no Chromium here: install it, or set RANDORI_BROWSER to its path")
    with sync.sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=program, args=list(FLAGS))
        yield browser
        browser.close()


@contextmanager
def opened_page(browser: Any, client: Client, width: int = 1280, height: int = 720) -> Iterator[Any]:
    """A page that has just been opened, without a stage; errors on its console fail the test.

    Work that it asked for and did not wait for is cancelled when the page is closed.
    """
    context = browser.new_context(viewport={"width": width, "height": height}, accept_downloads=True)
    context.set_default_timeout(1000.0 * _PATIENCE)
    context.add_init_script(DRAW_SELDOM)
    if not os.environ.get("RANDORI_PICTURES"):
        context.add_init_script(DRAW_COARSELY)
    opened = context.new_page()
    complaints: list[str] = []
    opened.on("pageerror", lambda error: complaints.append(str(error)))
    opened.on("request", lambda request: _same_host(request.url, client.port, complaints))
    opened.goto(f"http://127.0.0.1:{client.port}/?token={TOKEN}#/fight")
    opened.wait_for_selector(".fight")
    yield opened
    context.close()
    client.cancel_all()
    assert not complaints


def _same_host(url: str, port: int, complaints: list[str]) -> None:
    if not url.startswith((f"http://127.0.0.1:{port}/", f"ws://127.0.0.1:{port}/", "blob:", "data:")):
        complaints.append(f"{url} is on another host")


def picture(page: Any, name: str) -> None:
    """Pictures at two sizes into the folder RANDORI_PICTURES, to be looked at; without it nothing."""
    folder = os.environ.get("RANDORI_PICTURES")
    if not folder:
        return
    before = page.viewport_size
    for width, height in ((1440, 900), (1280, 720)):
        page.set_viewport_size({"width": width, "height": height})
        page.wait_for_timeout(1500)
        page.screenshot(path=str(Path(folder) / f"{name}-{width}.png"))
    page.set_viewport_size(before)


def until(page: Any, expression: str, *values: Any, patience: float = _PATIENCE) -> Any:
    """Wait until an expression of the page is true; gives its value."""
    end = time.monotonic() + patience
    while time.monotonic() < end:
        if found := page.evaluate(expression, *values):
            return found
        time.sleep(0.1)
    raise AssertionError(f"{expression} does not become true; the page says: {told(page)}")


def told(page: Any) -> str:
    """What the page tells its user in the corner."""
    return " | ".join(page.locator(".toast").all_inner_texts())


def go(page: Any, address: str) -> None:
    """Open another view of the page."""
    page.evaluate("hash => { location.hash = hash; }", address)


def open_gallery(page: Any) -> None:
    """Open the gallery and wait for its cards."""
    go(page, "#/")
    page.wait_for_selector("[data-scene=boxing]")


def open_scene(page: Any, **words: str) -> None:
    """Open a scene and wait for its whole take; it stands still, as drawing it takes most of the time."""
    query = "&".join(f"{key}={value}" for key, value in words.items())
    go(page, f"#/scene?{query}")
    until(page, "() => { const { show } = randori.view; return show?.take && !show.take.header.draft; }")
    page.evaluate("() => randori.view.player.pause()")


def open_text(page: Any, project: Path, name: str, text: str) -> None:
    """Write a scene file into the project and open it."""
    (project / name).write_text(text, encoding="utf-8")
    open_scene(page, file=name)


def text_of(page: Any) -> str:
    """The text of the scene that is open."""
    return page.evaluate("() => randori.view.file.document.text")


def wait_for_text(page: Any, words: str) -> None:
    """Wait until the text of the open scene contains some words."""
    until(page, "words => randori.view.file?.document.text.includes(words)", words)


def rename(page: Any, name: str) -> None:
    """Give the first character of the open scene another name, in the form."""
    page.fill("[data-group=member-0] [data-key=name] input", name)
    page.keyboard.press("Enter")
    wait_for_text(page, name)


def drop(page: Any, selector: str, files: dict[str, bytes]) -> None:
    """Drop files over an element, as from a folder."""
    # as text with one character for each byte: a list of numbers would take a minute for a few recordings
    page.evaluate(DROP, [selector, [[name, content.decode("latin-1")] for name, content in files.items()]])


def take_of(page: Any) -> dict[str, Any]:
    """The header of the take on the stage."""
    return page.evaluate("() => randori.view.show.take.header")


def roots_of(page: Any, who: int) -> list[float]:
    """x, y and z of a character in every frame."""
    return page.evaluate("who => [...randori.view.show.take.motions[who].roots]", who)


def next_take(page: Any, before: str) -> dict[str, Any]:
    """The header of the next whole take that comes onto the stage."""
    until(
        page,
        "old => { const { header } = randori.view.show.take; return header.take !== old && !header.draft; }",
        before,
    )
    return take_of(page)


def on_page(page: Any, x: float, y: float, z: float) -> tuple[float, float]:
    """Where a point of the stage is on the page."""
    found = page.evaluate(
        """([x, y, z]) => {
            const { stage } = randori.view, point = stage.cameras.camera.position.clone().set(x, y, z);
            return stage.onPage(point);
        }""",
        [x, y, z],
    )
    return found["x"], found["y"]


def drag(page: Any, start: tuple[float, float], stop: tuple[float, float]) -> None:
    """With the mouse, in a few steps."""
    page.mouse.move(*start)
    page.mouse.down()
    page.mouse.move(*stop, steps=5)
    page.mouse.up()
