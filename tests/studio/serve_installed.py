"""Run by `make wheel` where nothing but the wheel is installed: the studio serves its page there."""

import json
import re
import subprocess
import sys
import tempfile
from http.cookiejar import CookieJar
from pathlib import Path
from urllib.request import HTTPCookieProcessor, build_opener


def main() -> None:
    randori = Path(sys.executable).with_name("randori")
    with tempfile.TemporaryDirectory() as folder:
        command = [str(randori), "studio", folder, "--no-open"]
        with subprocess.Popen(command, stdout=subprocess.PIPE, text=True, cwd=folder) as server:
            try:
                check(str(server.stdout and server.stdout.readline()))
            finally:
                server.terminate()


def check(said: str) -> None:
    """The page, all that it loads, and what it first asks for come from this machine."""
    address = re.search(r"http://\S+", said)
    assert address, said
    base = address[0].split("/?")[0]
    visit = build_opener(HTTPCookieProcessor(CookieJar()))
    page = visit.open(address[0], timeout=30).read().decode()
    assert "<html" in page
    loaded = re.findall(r'(?:src|href)="([^"]+)"', page)
    assert loaded
    for name in loaded:
        assert not name.startswith(("http:", "https:", "//")), f"{name} is loaded from another host"
        assert visit.open(f"{base}/{name.removeprefix('./').removeprefix('/')}", timeout=30).status == 200, (
            name
        )
    scenes = json.load(visit.open(f"{base}/api/gallery", timeout=30))["entries"]
    assert any(entry["name"] == "boxing" for entry in scenes)
    print(f"The studio serves its page ({len(loaded)} files) and {len(scenes)} scenes.")


if __name__ == "__main__":
    main()
