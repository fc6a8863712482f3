"""How long a frame's JavaScript takes with many characters, and a first picture: `measure_page.py [N]`.

A short fight is multiplied in the buffer before it reaches the page, so that nobody has to simulate it.
"""

import json
import struct
import sys
import tempfile
import time
from pathlib import Path
from typing import Any

from randori.studio.launch import page_folder
from studio.browsing import chromium, until
from studio.serving import TOKEN, Client, served

SPACING = 3.0  # metres between pairs
SECONDS = 20.0  # of measuring


def multiplied(data: bytes, count: int) -> bytes:
    """A take with its characters many times, each pair in a place of its own."""
    words, poses = struct.unpack_from("<II", data, 8)
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
    return struct.pack("<4sIII", b"RNDT", 1, len(text), size) + text + b"".join(blocks)


def measure(page: Any, client: Client, count: int) -> dict[str, float]:
    """Milliseconds of a frame's JavaScript while the take plays."""
    document = client.post("scenes/open", {"gallery": "boxing"})
    asked = {key: document[key] for key in ("text", "file", "gallery")} | {"seconds": 6.0}
    job = client.finish(client.post("simulate", asked))
    data = multiplied(client.buffer(f"takes/{job['take']['take']}/buffer"), count)
    page.route("**/api/takes/*/buffer", lambda route: route.fulfill(body=data))
    page.goto(f"http://127.0.0.1:{client.port}/?token={TOKEN}")
    page.evaluate("name => { location.hash = `#/scene?take=${name}`; }", job["take"]["take"])
    until(page, "() => randori.view.show?.take")
    page.evaluate("() => randori.view.cameras.frameAll()")
    # without a graphics card drawing is what takes long; JavaScript does the same for few pixels
    page.evaluate("() => { randori.view.stage.renderer.setPixelRatio(0.05); randori.view.stage.resize(); }")
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
    return time.monotonic() - started


def main() -> None:
    count = int(sys.argv[1]) if len(sys.argv) > 1 else 200
    with (
        tempfile.TemporaryDirectory() as folder,
        served(Path(folder), page_folder()) as client,
        chromium() as browser,
    ):
        page = browser.new_page(viewport={"width": 1280, "height": 800})
        print(count, "characters:", json.dumps(measure(page, client, count), indent=2))
        page.close()
        fresh = browser.new_page(viewport={"width": 1280, "height": 800})
        print("first moving picture after", round(first_picture(fresh, client), 2), "s")


if __name__ == "__main__":
    main()
