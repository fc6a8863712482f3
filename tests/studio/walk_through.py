"""Opens every scene of the gallery and every live session, plays them, uses their inputs, and takes pictures.

`walk_through.py FOLDER [NAME…]` writes pictures to look at, at two widths, and says what the page complained
about: errors of the console, messages in the corner, texts that are hard to read or cut off.
"""

import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from randori.scene.scene import shipped_scenes
from randori.studio.launch import page_folder
from randori.studio.sessions import listed
from studio.browsing import chromium, drag, on_page, told, until
from studio.serving import TOKEN, Client, served

NARROW, WIDE = {"width": 1280, "height": 800}, {"width": 1600, "height": 900}
SECONDS = 3.0  # that something is played
FRAMES = 120  # of a live session before the first picture
HARD_TO_READ = (Path(__file__).parent / "hard_to_read.js").read_text(encoding="utf-8")
CUT_OFF = """() => [...document.querySelectorAll("button, label, summary, h2, h3, .badge, [role=tab]")]
    .filter((one) => one.checkVisibility() && one.scrollWidth > one.clientWidth + 1)
    .filter((one) => getComputedStyle(one).overflow === "hidden")
    .map((one) => one.textContent.trim().slice(0, 60))"""


def scene(page: Any, name: str, shoot: Any) -> None:
    """Play it, then ask somebody why."""
    page.evaluate("hash => { location.hash = hash; }", f"#/scene?gallery={name}")
    until(page, "() => randori.view.show?.take")
    time.sleep(SECONDS)
    shoot("plays")
    decisions = page.evaluate("() => randori.view.show.take.header.decisions.length")
    if decisions:
        page.evaluate("number => randori.view.selectDecision(number)", decisions // 2)
        page.wait_for_selector(".option")
    page.set_viewport_size(WIDE)
    time.sleep(1.0)
    shoot("why")


def session(page: Any, name: str, shoot: Any) -> None:
    """Let it run, send everything it knows, and look again."""
    page.evaluate("hash => { location.hash = hash; }", f"#/live?session={name.removeprefix('live-')}")
    until(page, "frames => randori.view.store?.newest > frames", FRAMES, patience=900)
    shoot("runs")
    controls = page.evaluate("() => randori.view.opened.controls")
    for control in controls:
        use(page, control)
        time.sleep(0.4)
    for field in page.locator(".panel .field input[type=range]").all():
        if field.is_visible():
            field.focus()
            field.press("ArrowLeft")
            page.evaluate("() => document.activeElement.blur()")
    page.set_viewport_size(WIDE)
    time.sleep(SECONDS)
    shoot("answers")
    print("    answers:", page.evaluate("() => randori.view.answered.map(Math.round)"), flush=True)


def use(page: Any, control: dict[str, Any]) -> None:
    """An input, as a person would give it."""
    place = page.evaluate("() => randori.view.stage.place(0).toArray()")
    match control["how"]:
        case "ground":
            page.mouse.click(*on_page(page, place[0] + 1.0, 0.0, place[2] + 0.6))
        case "drag":
            at = page.evaluate("() => randori.view.moving[0].position.toArray()")
            drag(page, on_page(page, *at), on_page(page, at[0] + 0.8, at[1], at[2] + 0.5))
        case "key":
            page.keyboard.press("Space" if control["key"] == " " else control["key"])
        case "button":
            page.click(f".panel button:text-is('{control['title']}')")
        case "bitmap":
            squares = page.locator(".bitmap > div")
            for square in (14, 15, 16, 17, 26, 29, 38, 41, 50, 51, 52, 53):
                squares.nth(square).click()
            page.click(".panel button:text-is('Go')")


def visit(browser: Any, client: Client, folder: Path, name: str, how: Any) -> None:
    page = browser.new_page(viewport=NARROW)
    said: list[str] = []
    page.on("console", lambda one: said.append(one.text) if one.type in ("error", "warning") else None)
    page.on("pageerror", lambda error: said.append(str(error)))
    page.goto(f"http://127.0.0.1:{client.port}/?token={TOKEN}")

    def shoot(moment: str) -> None:
        page.screenshot(path=folder / f"{name}-{moment}.png")
        said.extend(f"hard to read: {text}" for text in page.evaluate(HARD_TO_READ))
        said.extend(f"cut off: {text}" for text in page.evaluate(CUT_OFF))
        said.extend(filter(None, [told(page)]))

    started = time.monotonic()
    print(name, flush=True)
    try:
        how(page, name, shoot)
    except Exception as error:
        said.append(f"FAILED {error}")
        shoot("failed")
    page.close()
    for job in client.get("jobs")["jobs"]:
        if job["state"] in ("running", "waiting"):
            client.post(f"jobs/{job['job']}/cancel", {})
    print(f"    {time.monotonic() - started:.0f} s", *sorted(set(said)), sep="\n    ", flush=True)


def main() -> None:
    out = Path(sys.argv[1])
    out.mkdir(parents=True, exist_ok=True)
    kinds = dict.fromkeys(shipped_scenes(), scene)
    kinds |= {f"live-{entry.name}": session for entry in listed().sessions}
    with (
        tempfile.TemporaryDirectory() as folder,
        served(Path(folder), page_folder()) as client,
        chromium() as browser,
    ):
        for name in sys.argv[2:] or kinds:
            visit(browser, client, out, name, kinds[name])


if __name__ == "__main__":
    main()
