"""Contact sheets: right moments, right places."""

import numpy as np
import pytest
from people import jog

from randori.errors import FileError
from randori.render.camera import Focus
from randori.render.pictures import halve, save_png
from randori.render.sheet import compare_sheet, contact_sheet, moments

CELL = (60, 80)


def test_moments():
    assert moments(2.0, count=5) == [0.0, 0.5, 1.0, 1.5, 2.0]
    assert moments(2.0, start=0.5, stop=1.1, step=0.25) == [0.5, 0.75, 1.0]
    assert moments(2.0, count=2, stop=9.0) == [0.0, 2.0]


def test_a_grid_with_rows_for_each_view():
    sheet = contact_sheet(jog(), count=6, columns=3, cell=CELL, azimuths=(0.0, np.pi / 2))
    width, height = sheet.size
    assert width == 3 * CELL[0] + 2 * 2
    assert height == 30 + 4 * CELL[1] + 3 * 2


def test_cells_show_their_own_moment():
    pictures = np.asarray(contact_sheet(jog(), [0.0, 0.0, 0.3], cell=CELL))[30:]
    first, second, third = (pictures[:60, x : x + CELL[0]].astype(int) for x in (0, 62, 124))
    assert np.array_equal(first, second)
    assert (np.abs(first - third).max(axis=-1) > 30).mean() > 0.02


def test_rows_are_compared_at_one_scale():
    tall, small = jog(), jog()
    small = small.with_frames(small.root_position * 0.5, small.rotations, skeleton=small.skeleton.scaled(0.5))
    sheet = compare_sheet([("tall", [tall], [0.0, 0.2]), ("half", [small], [0.0])], cell=CELL, title="sizes")
    assert sheet.size == (2 * CELL[0] + 2, 30 + 2 * (30 + CELL[1]) + 2)
    picture = np.asarray(sheet).astype(int)
    rows = [picture[y : y + CELL[1] - 20, : CELL[0]] for y in (60, 172)]
    saturated = [(np.ptp(row, axis=-1) > 60).sum() for row in rows]
    assert 0.1 < saturated[1] / saturated[0] < 0.5


def test_with_a_focus_others_far_off_do_not_make_people_small():
    clips = [jog(), jog(at=(30.0, 0.0))]

    def coloured(focus: Focus | None) -> int:
        picture = np.asarray(contact_sheet(clips, [0.0], cell=CELL, focus=focus)).astype(int)
        return int((np.ptp(picture[30:90], axis=-1) > 60).sum())

    way = clips[0].root_position[:, [0, 2]]
    assert coloured(Focus.on(way, np.full(len(way), 1.0), 30.0)) > 20 * coloured(None)


def test_halving_keeps_light():
    black_and_white = np.tile(np.array([[0, 255], [255, 0]], dtype=np.uint8)[..., None], (3, 4, 3))
    assert (halve(black_and_white) == 180).all()  # half of the light, not half of the byte


def test_png_files_are_written_whole(tmp_path):
    save_png(np.zeros((4, 5, 3), dtype=np.uint8), tmp_path / "a.png")
    assert (tmp_path / "a.png").read_bytes().startswith(b"\x89PNG")
    with pytest.raises(FileError):
        save_png(np.zeros((4, 5, 3), dtype=np.uint8), tmp_path / "missing" / "a.png")
    assert [file.name for file in tmp_path.iterdir()] == ["a.png"]
