"""Every frame of an export says where it comes from; what may not be sold can be refused."""

import json
from itertools import pairwise
from pathlib import Path

import pytest

from randori.capture.analysis import analyse
from randori.errors import RandoriError
from randori.formats import load
from randori.graph.action_graph import build_action_graph
from randori.graph.library import build_library
from randori.performer import perform
from randori.scene.export import save
from randori.scene.provenance import frame_sources, refuse_non_commercial
from randori.scene.take import Take, make_take
from timeline_samples import random_timeline


@pytest.fixture(scope="module")
def take() -> Take:
    clip = perform("boxing", 20.0, seed=6)[0].clip
    graph = build_action_graph(build_library([(clip, analyse(clip))]), 0.2)
    return make_take(random_timeline(graph, 3.0, (1, 2)), "Sparring")


def test_the_rows_tell_what_every_frame_tells(take: Take):
    for role in take.roles:
        rows = frame_sources(role)
        assert rows[0]["first"] == 0
        assert rows[-1]["last"] == len(role.clip) - 1
        assert all(one["last"] + 1 == other["first"] for one, other in pairwise(rows))
        for row in rows:
            for frame in (row["first"], (row["first"] + row["last"]) // 2, row["last"]):
                (shown, *blended) = role.origins(frame)
                assert shown.source.name == row["recording"]
                assert shown.frame == row["frame"] + frame - row["first"]
                assert bool(role.simulated[frame]) == row.get("simulated", False)
                assert bool(blended) == ("blended" in row)
                if blended:
                    told = row["blended"]
                    assert (blended[0].source.name, blended[0].frame) == (told["recording"], told["frame"])


@pytest.mark.parametrize("ending", ["bvh", "glb"])
def test_exports_carry_quality_and_sources(take: Take, tmp_path: Path, ending: str):
    written = take.save(tmp_path / f"take.{ending}")
    if ending == "glb":
        data = written[0].read_bytes()
        length = int.from_bytes(data[12:16], "little")
        report = json.loads(data[20 : 20 + length])["asset"]["extras"]["randori"]
    else:
        report = json.loads((tmp_path / "take.json").read_text())
    assert report["quality"]["planted_phases"] == take.quality().planted_phases
    assert report["sources"][0]["credit"] == "Randori's built-in performer"
    assert set(report["frames"]) == {role.name for role in take.roles}


def test_what_may_not_be_sold_is_named(take: Take):
    refuse_non_commercial(take.credits())
    rows = [*take.credits(), {"recording": "kick_01", "licence": "CC BY-NC 4.0", "file": "", "credit": ""}]
    with pytest.raises(RandoriError, match=r"kick_01 \(CC BY-NC 4.0\)"):
        refuse_non_commercial(rows)
    refuse_non_commercial(rows, ["cc by-nc 4.0"])


def test_what_is_told_of_a_recording_goes_with_it(tmp_path: Path):
    path = tmp_path / "mine.bvh"
    save(perform("boxing", 2.0, seed=1)[0].clip, path)
    assert load(path).source.licence == ""
    told = load(path, licence="CC BY-NC 4.0", credit="A. Boxer").source
    assert (told.licence, told.credit) == ("CC BY-NC 4.0", "A. Boxer")
    assert told.metres_per_unit == load(path).source.metres_per_unit
