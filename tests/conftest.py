"""What all tests may use."""

import gc
import os
from pathlib import Path
from typing import Any

import pytest
from hypothesis import settings

import durations
import shared

# New examples every time at home; where a change is to land, the same ones for everybody. None is too late:
# the first may have to wait for a kernel to be compiled.
settings.register_profile("home", deadline=None)
settings.register_profile("landing", deadline=None, derandomize=True)
settings.load_profile("landing" if os.environ.get("CI") else "home")

_RECORDER, _GATHERER = "durations recorder", "durations gatherer"


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--record-durations", action="store_true", help="measure all tests and write slow.csv")
    parser.addoption("--shuffle", type=int, metavar="SEED", help="run the tests in another order")


def pytest_configure(config: pytest.Config) -> None:
    gc.set_threshold(50_000, 20, 100)  # looking for garbage as often as usual takes a twentieth of the time
    if config.getoption("--record-durations"):
        shared.anew = True
        config.pluginmanager.register(durations.Recorder(), _RECORDER)
        if not hasattr(config, "workerinput"):
            config.pluginmanager.register(durations.Gatherer(), _GATHERER)


@pytest.hookimpl(tryfirst=True)
def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    durations.mark_and_sort(items)
    if (seed := config.getoption("--shuffle")) is not None:
        durations.shuffle(items, seed)


@pytest.hookimpl(trylast=True)
def pytest_sessionfinish(session: pytest.Session) -> None:
    plugins: Any = session.config.pluginmanager
    if (recorder := plugins.get_plugin(_RECORDER)) is None:
        return
    if hasattr(session.config, "workerinput"):
        session.config.workeroutput["durations"] = recorder.figures()
    else:
        gatherer = plugins.get_plugin(_GATHERER)
        gatherer.all.append(recorder.figures())
        gatherer.write()


def pytest_terminal_summary(terminalreporter: Any, config: pytest.Config) -> None:
    if config.getoption("markexpr") == "not slow":
        terminalreporter.write_line(durations.left_out())


@pytest.fixture(scope="session")
def mocap_folder() -> Path:
    """Real recordings, which are not part of the repository: beside it, or where RANDORI_MOCAP says."""
    beside = Path(__file__).parents[2] / "shared" / "mocap"
    folder = Path(os.environ.get("RANDORI_MOCAP", beside))
    if not (folder / "INDEX.csv").is_file():
        pytest.skip(f"no recordings at {folder}; set RANDORI_MOCAP to test on them")
    return folder


@pytest.fixture(scope="session")
def mocap_folders(mocap_folder: Path) -> list[Path]:
    """The same, and a second, dirtier set of them where there is one beside it."""
    second = mocap_folder.with_name("mocap2")
    return [mocap_folder, *([second] if (second / "INDEX.csv").is_file() else [])]
