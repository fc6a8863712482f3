"""What tests of the studio share: a cache for every file of tests, a small project, its server, a browser."""

import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from randori.capture.analysis import analyse
from randori.folders import cache_folder
from randori.graph.library import build_library
from randori.graph.library_file import write
from randori.performer import perform
from randori.studio.launch import page_folder
from shared import made_once
from studio.browsing import SHORT, chromium, opened_page
from studio.serving import Client, served

_OWN = ("takes", "studio")  # what tests assert about; the rest is the same whoever has made it
_RING_MAKERS = ("randori.performer", "randori.capture.analysis", "randori.graph.library_file")
_SHARED = ("controllers", "libraries", "patches")


@pytest.fixture(scope="module", autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Takes are kept in an empty folder; kernels and libraries are where they always are.

    What the studio finds there, the tests of that file have made.
    """
    cache, own = cache_folder(), tmp_path_factory.mktemp("cache")
    for name in _SHARED:
        (cache / name).mkdir(parents=True, exist_ok=True)
    for entry in cache.iterdir():
        if entry.name not in _OWN:
            (own / entry.name).symlink_to(entry.absolute())
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RANDORI_CACHE", str(own))
        yield


def _library(*sets: str) -> bytes:
    """A library of a minute of each set of motions."""
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "ring.npz"
        clips = [perform(name, 60.0, seed=2)[0].clip for name in sets]
        write(path, build_library([(clip, analyse(clip)) for clip in clips]))
        return path.read_bytes()


def _ring() -> bytes:
    return _library("boxing")


def _ring_with_reactions() -> bytes:
    return _library("boxing", "reactions")


@pytest.fixture(scope="session")
def ring_with_reactions() -> bytes:
    """A library file whose characters react to hits, too."""
    return made_once("studio-reactions", _ring_with_reactions, makers=_RING_MAKERS)


@pytest.fixture(scope="module")
def project(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A folder with a small library and a short scene.

    Files of tests that need something else have a project of their own.
    """
    folder = tmp_path_factory.mktemp("project")
    (folder / "ring.npz").write_bytes(made_once("studio-ring", _ring, makers=_RING_MAKERS))
    (folder / "short.toml").write_text(SHORT, encoding="utf-8")
    return folder


@pytest.fixture(scope="module")
def client(project: Path) -> Iterator[Client]:
    """A server that hands out the page."""
    built = page_folder()
    if built is None:
        pytest.skip("the page is not built: `make page`")
    with served(project, built) as running:
        yield running


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """One Chromium for a file of tests: every page has its own cookies and storage."""
    with chromium() as running:
        yield running


@pytest.fixture
def page(browser: Any, client: Client) -> Iterator[Any]:
    with opened_page(browser, client) as opened:
        yield opened
