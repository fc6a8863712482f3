"""However a command ends, a sentence says so: no traceback, no bare "Aborted."."""

import io
import os
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from randori import cli, reports
from randori.cli import main, shared
from randori.errors import RandoriError
from randori.folders import cache_folder


def ended(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, *words: object
) -> tuple[int, str]:
    """How a command ends, and what it says on the way, in one line."""
    monkeypatch.setattr("sys.argv", ["randori", *map(str, words)])
    with pytest.raises(SystemExit) as end:
        main()
    return int(end.value.code or 0), " ".join(capsys.readouterr().err.split())


@pytest.fixture
def failing(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    """`randori scenes` ends with an error."""
    monkeypatch.setenv("RANDORI_CACHE", str(tmp_path))

    def fail_with(error: BaseException) -> None:
        def fail() -> list[str]:
            shared.doing = "Simulating"
            raise error

        monkeypatch.setattr("randori.scene.scene.shipped_scenes", fail)
        monkeypatch.setattr(shared, "doing", "")

    return fail_with


@pytest.mark.parametrize(
    ("error", "code", "said"),
    [
        (KeyboardInterrupt(), 130, "stopped: Ctrl+C during: Simulating"),
        (cli.Terminated(), 143, "stopped: received SIGTERM"),
        (EOFError("short"), 70, "something went wrong inside Randori (EOFError: short)"),
        (ZeroDivisionError("by zero"), 70, "something went wrong inside Randori (ZeroDivisionError"),
        (RandoriError("no such thing"), 2, "randori: no such thing"),
        (OSError(28, "No space left on device", "take.npz"), 2, "take.npz: No space left on device"),
    ],
)
def test_every_end_is_a_sentence(failing, capsys, monkeypatch, error: BaseException, code: int, said: str):
    failing(error)
    assert (found := ended(capsys, monkeypatch, "scenes"))[0] == code
    assert said in found[1]
    assert "Traceback" not in found[1]


def test_an_unexpected_error_is_written_down_and_shown_on_request(failing, capsys, monkeypatch):
    failing(ZeroDivisionError("by zero"))
    _, said = ended(capsys, monkeypatch, "scenes")
    (report,) = (cache_folder() / "reports").glob("*.txt")
    assert report.name in said.replace(" ", "")
    text = report.read_text()
    assert "asked for: scenes" in text
    assert "ZeroDivisionError: by zero" in text
    assert "numba " in text
    for words in (("--debug", "scenes"), ("scenes", "--debug")):
        assert "Traceback" in ended(capsys, monkeypatch, *words)[1]


def test_old_reports_are_dropped(monkeypatch: pytest.MonkeyPatch, tmp_path: Path):
    monkeypatch.setenv("RANDORI_CACHE", str(tmp_path))
    monkeypatch.setattr(reports, "_KEPT_REPORTS", 3)
    written = [reports.write_report(ValueError(str(n)), []) for n in range(5)]
    assert sorted((tmp_path / "reports").iterdir()) == sorted(path for path in written[-3:] if path)


@pytest.mark.skipif(os.name == "nt", reason="signals of another kind")
@pytest.mark.parametrize(("number", "code"), [(signal.SIGTERM, 143), (signal.SIGINT, 130)])
def test_signals_are_heard(tmp_path: Path, number: signal.Signals, code: int):
    """A command that waits is told to end: it says so, and leaves no file."""
    waiting = (
        "import time\nfrom randori.cli import main, shared\n"
        "@shared.app.command()\n"
        "def wait() -> None:\n"
        "    from randori.formats.files import write_whole\n"
        "    with shared.working('Waiting'), write_whole('out.txt') as file:\n"
        "        print('ready', flush=True)\n"
        "        time.sleep(60)\n"
        "main()\n"
    )
    process = subprocess.Popen(
        [sys.executable, "-c", waiting, "wait"],
        cwd=tmp_path,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE,
        text=True,
        # a shell lets what it starts in the background ignore Ctrl+C, and children inherit that
        preexec_fn=lambda: signal.signal(number, signal.SIG_DFL),
    )
    assert process.stdout is not None
    assert process.stdout.readline() == "ready\n"
    time.sleep(0.05)
    process.send_signal(number)
    said = process.communicate(timeout=30)[1]
    assert process.returncode == code
    assert "stopped" in said
    assert "Waiting" in said
    assert "Traceback" not in said
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("encoding", ["cp1252", "ascii"])
def test_a_narrow_code_page_is_no_obstacle(capsys, monkeypatch: pytest.MonkeyPatch, encoding: str):
    narrow = io.TextIOWrapper(io.BytesIO(), encoding=encoding)
    monkeypatch.setattr(sys, "stdout", narrow)
    monkeypatch.setattr("sys.argv", ["randori", "inspect", "--help"])
    with pytest.raises(SystemExit) as end:
        main()
    shared.console.print("before → after", end="")
    print("before → after")
    assert not end.value.code
