"""Files are written whole or not at all, and what cannot be read is said kindly."""

import errno
import os
import stat
from pathlib import Path

import pytest

from randori.errors import FileError
from randori.formats import files, load
from randori.formats.files import line_number, read_lines, write_whole


def test_a_file_appears_only_when_it_is_whole(tmp_path: Path):
    path = tmp_path / "take.bvh"
    with write_whole(path) as file:
        file.write(b"half")
        file.flush()
        assert not path.exists()
    assert path.read_bytes() == b"half"
    assert os.listdir(tmp_path) == ["take.bvh"]


@pytest.mark.parametrize("error", [RuntimeError, KeyboardInterrupt, OSError])
def test_a_failure_leaves_what_was_there(tmp_path: Path, error: type[BaseException]):
    path = tmp_path / "take.bvh"
    path.write_text("before")
    expected = FileError if error is OSError else error

    def write_half() -> None:
        with write_whole(path) as file:
            file.write(b"half")
            raise error("the disk is full")

    with pytest.raises(expected):
        write_half()
    assert path.read_text() == "before"
    assert os.listdir(tmp_path) == ["take.bvh"]


@pytest.mark.skipif(os.name == "nt", reason="permissions of another kind")
def test_permissions_stay_and_new_files_are_ordinary(tmp_path: Path):
    old, new, ordinary = tmp_path / "old", tmp_path / "new", tmp_path / "ordinary"
    old.touch()
    old.chmod(0o640)
    ordinary.touch()
    for path in (old, new):
        with write_whole(path) as file:
            file.write(b"x")
    assert stat.S_IMODE(old.stat().st_mode) == 0o640
    assert new.stat().st_mode == ordinary.stat().st_mode


@pytest.mark.skipif(os.name == "nt", reason="links need rights there")
def test_a_link_stays_a_link(tmp_path: Path):
    (tmp_path / "link").symlink_to(tmp_path / "target")
    with write_whole(tmp_path / "link") as file:
        file.write(b"x")
    assert (tmp_path / "link").is_symlink()
    assert (tmp_path / "target").read_bytes() == b"x"


def test_places_where_no_file_can_stand(tmp_path: Path):
    for path in (tmp_path, tmp_path / "no" / "folder.bvh", tmp_path / "nul\0.bvh"):
        with pytest.raises(FileError, match="cannot be written"), write_whole(path) as file:
            file.write(b"x")
    assert os.listdir(tmp_path) == []


@pytest.mark.skipif(not os.path.exists("/dev/null"), reason="no devices here")
def test_a_device_is_not_replaced():
    with pytest.raises(FileError, match="not an ordinary file"), write_whole("/dev/null") as file:
        file.write(b"x")
    assert stat.S_ISCHR(os.stat("/dev/null").st_mode)


@pytest.mark.parametrize("ending", [".bvh", ".amc", ".npz"])
def test_what_stands_in_the_way_of_reading(tmp_path: Path, ending: str):
    path = tmp_path / f"take{ending}"
    asf = tmp_path / "take.asf"
    asf.write_text(":bonedata\n:hierarchy\n")
    with pytest.raises(FileError, match=r"take.*does not exist"):
        load(path)
    path.touch()
    with pytest.raises(FileError, match=r"take.*is empty"):
        load(path)
    path.unlink()
    path.mkdir()
    with pytest.raises(FileError, match=r"take.*is a folder"):
        load(path)


@pytest.mark.skipif(os.name == "nt" or os.geteuid() == 0, reason="who may do everything cannot be kept out")
def test_a_file_that_may_not_be_read(tmp_path: Path):
    path = tmp_path / "secret.bvh"
    path.write_text("x")
    path.chmod(0)
    with pytest.raises(FileError, match="permission denied"):
        load(path)


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="no pipes here")
def test_a_pipe_is_not_waited_for(tmp_path: Path):
    os.mkfifo(tmp_path / "pipe.bvh")
    with pytest.raises(FileError, match="not an ordinary file"):
        load(tmp_path / "pipe.bvh")


def test_a_file_beyond_all_measure(tmp_path: Path):
    path = tmp_path / "large.bvh"
    with open(path, "wb") as file:
        file.truncate(files.LARGEST_FILE + 1)  # takes no room on the disk
    with pytest.raises(FileError, match="at most 2 GB"):
        load(path)


@pytest.mark.parametrize("name", ["walk.blend", "walk", "walk.bvh.zip", ".bvh"])
def test_other_endings_list_what_can_be_read(tmp_path: Path, name: str):
    (tmp_path / name).write_text("x")
    with pytest.raises(FileError, match=r"\.bvh, \.amc, \.npz"):
        load(tmp_path / name)


@pytest.mark.parametrize("newline", [b"\n", b"\r\n", b"\r"])
def test_blocks_are_whole_lines_and_know_their_numbers(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, newline: bytes
):
    monkeypatch.setattr(files, "LONGEST_LINE", 40)
    lines = [b"%d" % n * (1 + n % 7) for n in range(60)]
    path = tmp_path / "lines"
    path.write_bytes(newline.join(lines))
    found = []
    for block in read_lines(path, 0):
        byte = 0
        for line in bytes(block.text[: block.stop]).splitlines(keepends=True):
            if line.strip():
                found.append(line.strip())
                assert line_number(path, block.start + byte) == len(found)
            byte += len(line)
    assert found == lines


def test_a_disk_on_which_nothing_can_be_removed_either_is_named(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
):
    def refuse(*_: object, **__: object) -> None:
        raise OSError(errno.EROFS, os.strerror(errno.EROFS))

    monkeypatch.setattr(os, "replace", refuse)
    monkeypatch.setattr(Path, "unlink", refuse)
    with (
        pytest.raises(FileError, match="cannot be written: Read-only file system"),
        write_whole(tmp_path / "a"),
    ):
        pass
