"""How long things take in the page: `measure_page.py [frame] [picture] [decision]`, or all of them.

- `frame`: the JavaScript of a frame with 200 characters. A short fight is multiplied in the buffer before it
  reaches the page, so that nobody has to simulate it.
- `picture`: from a click in the gallery to a fight that moves.
- `decision`: from a weight that is changed in a live fight to the next decision, with few pixels and with
  nothing drawn: without a graphics card drawing takes the processor from all that is measured.
"""

import json
import struct
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

import numpy as np

from randori.studio.launch import page_folder
from studio.browsing import chromium, until
from studio.serving import TOKEN, Client, served

SPACING = 3.0  # metres between pairs
SECONDS = 20.0  # of measuring
CHARACTERS = 200
CHANGES = 60  # of a weight


def multiplied(data: bytes, count: int) -> bytes:
    """A take with its characters many times, each pair in a place of its own."""
    version, words, poses = struct.unpack_from("<III", data, 4)
    header = json.loads(data[16 : 16 + words])
    blocks = [data[16 + words : 16 + words + poses]]
    size, own, characters = poses, header["characters"], []
    for number in range(count):
        role = own[number % len(own)]
        row, column = divmod(number // len(own), 10)
        moved = bytearray(blocks[0][role["roots"] : role["roots"] + 12 * header["frames"]])
        for frame in range(header["frames"]):
            x, y, z = struct.unpack_from("<fff", moved, 12 * frame)
            struct.pack_into("<fff", moved, 12 * frame, x + SPACING * column, y, z + SPACING * row)
        blocks.append(bytes(moved))
        characters.append({**role, "name": f"{role['name']} {number}", "roots": size, "outfit": number})
        size += len(moved)
    header["characters"], header["props"] = characters, []
    text = json.dumps(header).encode()
    text += b" " * (-len(text) % 16)
    return struct.pack("<4sIII", b"RNDT", version, len(text), size) + text + b"".join(blocks)


def draw_little(page: Any) -> None:
    """Without a graphics card drawing is what takes long; JavaScript does the same for few pixels."""
    page.evaluate("() => { randori.view.stage.renderer.setPixelRatio(0.05); randori.view.stage.resize(); }")


def draw_nothing(page: Any) -> None:
    page.evaluate("() => { randori.view.stage.renderer.render = () => {}; }")


def measure(page: Any, client: Client) -> dict[str, float]:
    """Milliseconds of a frame's JavaScript while the take plays."""
    document = client.post("scenes/open", {"gallery": "boxing"})
    asked = {key: document[key] for key in ("text", "file", "gallery")} | {"seconds": 6.0}
    job = client.finish(client.post("simulate", asked))
    data = multiplied(client.buffer(f"takes/{job['take']['take']}/buffer"), CHARACTERS)
    page.route("**/api/takes/*/buffer", lambda route: route.fulfill(body=data))
    page.goto(f"http://127.0.0.1:{client.port}/?token={TOKEN}")
    page.evaluate("name => { location.hash = `#/scene?take=${name}`; }", job["take"]["take"])
    until(page, "() => randori.view.show?.take")
    page.evaluate("() => randori.view.cameras.frameAll()")
    draw_little(page)
    time.sleep(2.0)
    page.evaluate("() => randori.view.stage.pace.clear()")
    time.sleep(SECONDS)
    return page.evaluate("() => randori.view.stage.pace.figures()")


def first_picture(page: Any, client: Client) -> float:
    """Seconds from a click in the gallery to a fight that moves; its draft is there already."""
    page.goto(f"http://127.0.0.1:{client.port}/?token={TOKEN}")
    page.wait_for_selector("[data-scene=boxing]")
    started = time.monotonic()
    page.click("[data-scene=boxing]")
    until(page, "() => randori.view.show?.take && randori.view.player?.time > 0")
    return round(time.monotonic() - started, 2)


def next_decision(page: Any, client: Client) -> dict[str, Any]:
    """Milliseconds from a changed weight to a decision that knows of it, and what is needed of them."""
    page.goto(f"http://127.0.0.1:{client.port}/?token={TOKEN}#/live?session=boxing")
    until(page, "() => randori.view.store?.newest > 60")
    draw_little(page)
    found = {"drawn": change_weights(page)}
    draw_nothing(page)
    return found | {"not drawn": change_weights(page)}


def change_weights(page: Any) -> dict[str, dict[str, float]]:
    """Milliseconds of many changes, and what they are made of."""
    page.evaluate("() => { randori.view.decided = []; }")
    field = page.get_by_label("Distance").first
    pause = np.random.default_rng(1)
    for number in range(CHANGES):
        field.fill(f"{0.8 + 0.02 * number:.2f}")
        field.press("Enter")
        until(page, "count => randori.view.decided.length > count", number)
        time.sleep(pause.uniform(0.2, 1.0))
    rows = page.evaluate("() => randori.view.decided")
    parts = {key: np.array([row[key] for row in rows]) for key in ("total", "waited", "took")}
    parts["added"] = parts["total"] - parts["waited"] - parts["took"]
    return {
        key: {
            "median": round(float(np.median(some)), 1),
            "nine in ten": round(float(np.quantile(some, 0.9)), 1),
            "most": round(float(some.max()), 1),
        }
        for key, some in parts.items()
    }


def main() -> None:
    shares = {"frame": measure, "picture": first_picture, "decision": next_decision}
    with (
        tempfile.TemporaryDirectory() as folder,
        served(Path(folder), page_folder()) as client,
        chromium() as browser,
    ):
        for name in sys.argv[1:] or shares:
            page = browser.new_page(viewport={"width": 1280, "height": 800})
            print(name, json.dumps(shares[name](page, client), indent=2))
            page.close()


if __name__ == "__main__":
    main()
