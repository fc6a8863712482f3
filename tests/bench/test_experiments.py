"""The papers' findings: that bouts are what they say, and that records are judged as the limits say."""

from dataclasses import replace

import numpy as np
import pytest

from randori.bench import experiments
from randori.bench.experiments import FINDINGS, Record
from randori.bench.tables import Rows
from randori.scene.scene import Scene


def record(damage=(0.0, 0.0), caught=-1.0, places=((0.0, 0.0), (0.0, 1.0)), **others) -> Record:
    figures = {
        "damage": damage,
        "first_caught": caught,
        "attacks": 10,
        "hits": 4,
        "blocks": 1,
        "defences": 1,
        "landed": 0.5,
        "choices": 20,
        "repetition": 0.1,
    }
    return Record(
        15.0,
        figures | others,
        np.tile(np.array(places), (5, 1, 1)),
        short=others.get("short", 0),
        options=(10.0, 4.0),
        checkpoints=1,
    )


def came_out(rows: Rows) -> list[str]:
    return [row["came out"] for row in rows]


def test_every_finding_has_twenty_starting_positions_of_every_kind():
    for name, make in FINDINGS.items():
        for kind, bouts in make(20, 10.0).bouts.items():
            places = {tuple(member.place for member in bout.cast) for bout in bouts}
            assert len(places) == len(bouts) == 20, (name, kind)


def test_who_stands_first_changes_from_bout_to_bout_and_is_counted_for_the_same_one():
    finding = FINDINGS["depth"](20, 10.0)
    assert [bout.cast[0].depth for bout in finding.bouts[""][:4]] == [4, 2, 4, 2]
    smart_wins = [record((3.0, 1.0) if number % 2 == 0 else (1.0, 3.0)) for number in range(20)]
    assert came_out(finding.judge({"": smart_wins})) == ["yes"]
    three_lost = [record((0.0, 1.0)), record((2.0, 1.0)), record((1.0, 1.0)), *smart_wins[3:]]
    assert came_out(finding.judge({"": three_lost})) == ["NO"]


def test_who_is_never_caught_counts_with_the_whole_time():
    finding = FINDINGS["chase"](2, 15.0)
    rows = finding.judge({"2": [record(caught=4.0), record()], "4": [record(caught=9.0)] * 2})
    assert rows[0]["found"] == "9.0 s (2 of 2 caught), 9.5 s (1 of 2)"
    assert came_out(rows) == ["yes"]


def test_the_path_is_measured_from_the_middle_of_the_pair():
    finding = FINDINGS["path"](1, 15.0)
    off = experiments.off_route(record(places=((0.9, -0.4), (0.9, 0.4))))
    assert np.allclose(off, 0.0)
    behind = experiments.behind_time(record(places=((0.0, 0.5), (0.0, -0.5))))
    assert np.allclose(behind, [0.0, 0.6, 1.2, 1.8, np.hypot(1.8, 0.6)])
    late = replace(record(), seconds=30.0)
    assert len(experiments.off_route(late)) == 3  # of five: the path is over after 18 s
    worse = {f"competitive {depth}": [_wandering(0.3 * depth)] for depth in (1, 2, 3)} | {
        "cooperative 3": [_wandering(0.4)]
    }
    assert came_out(finding.judge(worse)) == ["yes", "", "yes", "yes"]
    assert came_out(finding.judge(worse | {"cooperative 3": [_wandering(0.6)]}))[0] == "NO"


def _wandering(off: float) -> Record:
    """A pair that has begun on the path and ends off it."""
    places = np.zeros((4, 2, 2))
    places[1:, :, 1] = -off
    return Record(15.0, {"hits": 1}, places, 0, (1.0, 1.0), 0)


def test_fights_between_equals_are_held_to_their_limits():
    finding = FINDINGS["alive"](1, 15.0)
    (usual, unguarded) = finding.bouts
    rows = finding.judge({usual: [record()], unguarded: [record(hits=0)]})
    assert came_out(rows) == ["yes"] * 5 + [""] * 5
    rows = finding.judge({usual: [record(hits=1, landed=0.1, repetition=0.5)], unguarded: [record()]})
    assert came_out(rows)[:5] == ["NO", "NO", "yes", "NO", "yes"]


def test_a_bout_is_played_and_counted(tmp_path, monkeypatch):
    monkeypatch.setenv("RANDORI_CACHE", str(tmp_path))
    scene = Scene.load("boxing")
    motions = scene.motions["boxing"].model_copy(
        update={"perform": ("boxing",), "seconds": 30.0, "choices": 8.0}
    )
    cast = tuple(member.model_copy(update={"depth": 1}) for member in scene.cast)
    played = experiments.play(scene.changed(motions={"boxing": motions}, cast=cast, seconds=3.0))
    assert played.places.shape == (30, 2, 2)
    assert played.apart[0] == pytest.approx(2.0, abs=0.1)
    before, after = played.options
    assert before >= after > 0.0
    assert played.short <= played.figures["attacks"]
