"""Commands that are killed leave nothing half written. The short form of kill.py, which can run at length."""

import os
from pathlib import Path

import pytest

import kill
from randori.folders import cache_folder
from randori.formats.files import write_whole


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="groups of processes of another kind")
def test_killed_commands_leave_no_half_file():
    kernels = cache_folder() / "kernels"
    kernels.mkdir(parents=True, exist_ok=True)
    assert kill.attack(1, 4, kill.COMMANDS[1:3], kernels) == []


def test_half_files_are_found(tmp_path: Path):
    """The harness can fail."""
    (tmp_path / "cut.npz").write_bytes(b"PK\x03\x04half")
    (tmp_path / "cut.json").write_text('{"a": ')
    (tmp_path / "cut.png").write_bytes(b"\x89PNG")
    (tmp_path / ".0123456789abcdef.part").write_bytes(b"half")
    with write_whole(tmp_path / "fine.json") as file:
        file.write(b"{}")
    assert len(kill.half_files(tmp_path)) == 3
