"""Every bench runs whole, here in its quick form, and counts what it says."""

import json
from collections.abc import Generator
from functools import cache
from importlib import import_module
from pathlib import Path

import pytest

from prepare_samples import recording_once
from randori.bench import behaviour, duel, prepare, quality
from randori.bench.tables import Rows, Table
from randori.cli import main
from randori.cli.bench import Bench
from randori.errors import RandoriError
from randori.timeline.limits import BEHAVIOUR, CRAFT
from randori.work import finish

PARTS = {
    "duel": ["depths", "savings", "cuts", "time"],
    "experiments": ["depth", "energy", "styles", "chase", "two", "path", "alive", "choices"],
    "patches": ["building", "composition", "mouse", "pictures", "crowds", "path", "lively", "commands"],
    "stories": ["endings", "spiral", "growth"],
    "behaviour": ["takes", "totals"],
}


@pytest.fixture(scope="module")
def tables(request: pytest.FixtureRequest) -> dict[str, Rows]:
    """The tables of the bench that the test names, by their names."""
    return measured(request.param)


@cache  # pytest makes a fixture anew whenever its parameter changes, and some benches have several tests
def measured(bench: str) -> dict[str, Rows]:
    running = import_module(f"randori.bench.{bench}").running
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(prepare, "performed_library", recording_once)
        return {table.name: table.rows for table in finish(running(quick=True))}


def of(*benches: str) -> pytest.MarkDecorator:
    """A test of the tables of some benches."""
    return pytest.mark.parametrize("tables", benches, indirect=True)


def number(text: object) -> float:
    return float(str(text).replace(",", ""))


@pytest.mark.parametrize(
    ("tables", "bench"),
    [(one.value, one) for one in Bench],
    indirect=["tables"],
    ids=[one.value for one in Bench],
)
def test_every_part_gives_its_table(tables: dict[str, Rows], bench: Bench) -> None:
    if bench == "quality":
        assert list(tables) == ["quality-boxing-1.5s"]
    else:
        assert list(tables) == ([f"{bench}-{part}" for part in PARTS[bench]] if bench in PARTS else [bench])
    for name, rows in tables.items():
        assert rows, name
        assert all(row.keys() == rows[0].keys() for row in rows), name


@of("duel")
def test_every_depth_of_the_duel_has_its_figures(tables: dict[str, Rows]) -> None:
    rows = tables["duel-depths"]
    assert [row["plies"] for row in rows] == [1, 2]
    for row in rows:
        assert row["actions"] > 20
        assert number(row["× real time, processor"]) > 0.0
        assert number(row["nodes a second"]) > number(row["nodes a decision"]) > 0.0


@of("duel")
def test_the_plain_search_tries_at_least_as_many_nodes(tables: dict[str, Rows]) -> None:
    (row,) = tables["duel-savings"]
    plain, uncut, fast = (
        number(row[name]) for name in ("nodes, plain", "nodes, cut within root choices", "nodes, all cuts")
    )
    assert plain >= uncut > 0
    assert plain >= fast > 0
    assert number(row["times faster"]) > 1.0


@of("patches")
def test_every_crowd_is_composed_without_an_error(tables: dict[str, Rows]) -> None:
    assert [(row["scene"], row["errors"]) for row in tables["patches-lively"] if row["errors"]] == []


@of("capture")
def test_capture_grows_with_the_takes(tables: dict[str, Rows]) -> None:
    one, two = tables["capture"]
    assert two["actions"] > one["actions"]
    assert one["from files to graphs (s)"] > 0.0
    assert abs(two["recorded (min)"] - 0.4) < 0.11


@of("stories")
def test_stories_tell_how_they_end(tables: dict[str, Rows]) -> None:
    (ending,) = tables["stories-endings"]
    assert ending["what"] == "car-in-the-street ends as it should"
    assert ending["found"].startswith("1 of 1 seeds")


@of("stories")
def test_growth_is_measured_on_as_many_pairs_for_every_size(tables: dict[str, Rows]) -> None:
    rows = tables["stories-growth"]
    assert [row["what"].split()[0] for row in rows] == ["2", "3"]
    assert all(float(row["found"].split()[0]) > 0.0 for row in rows)
    # six pairs for each size, or one would be compared with the luck of a few others
    assert [row["found"].split("seeds: ")[1] for row in rows] == ["3)", "2)"]


@of("quality")
def test_a_row_of_quality_names_every_limit(tables: dict[str, Rows]) -> None:
    (row,) = tables["quality-boxing-1.5s"]
    assert row["scene"] == "boxing"
    for name, limit in CRAFT.items():
        (key,) = [key for key in row if key.startswith(f"{name} (")]
        value = float(str(row[key]).split()[0])
        kept = value >= limit.bound if limit.at_least else value <= limit.bound
        assert kept == (name not in str(row["misses"]).split(", "))


def test_an_unknown_scene_of_quality_is_named() -> None:
    with pytest.raises(RandoriError, match="there is no scene 'boxin'"):
        finish(quality.running("boxin"))
    with pytest.raises(RandoriError, match="seconds"):
        finish(quality.running("boxing:long"))


@of("behaviour")
def test_a_take_of_behaviour_has_every_figure_and_the_totals_agree(tables: dict[str, Rows]) -> None:
    (take,) = tables["behaviour-takes"]
    totals = tables["behaviour-totals"]
    assert (take["scene"], take["seed"]) == ("boxing", 1)
    assert [row["figure"] for row in totals[len(BEHAVIOUR) :]] == ["hits a minute", "attacks that land (%)"]
    for row in totals[len(BEHAVIOUR) :]:
        assert row["all takes"] == row["worst take"] == take[str(row["figure"])]
    missed = str(take["misses"]).split(", ")
    for (name, limit), row in zip(BEHAVIOUR.items(), totals):
        assert row["worst take"] == take[str(row["limit"])]
        assert row["keep it"] == ("0 of 1" if name in missed else "1 of 1")
        assert row["figure"] == limit.words


def test_seeds_are_read_as_people_write_them() -> None:
    assert behaviour.read_seeds("21-23") == [21, 22, 23]
    assert behaviour.read_seeds("4, 9,4") == [4, 9]
    for wrong in ("", "x", "3-", "9-4", "-2"):
        with pytest.raises(RandoriError, match="--seeds"):
            behaviour.read_seeds(wrong)


# ---- From the command line


def run(monkeypatch: pytest.MonkeyPatch, *words: str) -> int:
    monkeypatch.setattr("sys.argv", ["randori", "bench", *words])
    with pytest.raises(SystemExit) as end:
        main()
    return int(end.value.code or 0)


@pytest.fixture
def two_tables(monkeypatch: pytest.MonkeyPatch) -> None:
    """A bench whose parts have different columns, one of them many."""

    def running(only: str | None, quick: bool) -> Generator[float, None, list[Table]]:
        yield 0.5
        wide = {f"column {n}": n for n in range(10)}
        return [Table("duel-narrow", [{"scene": "boxing", "hits": 3}]), Table("duel-wide", [wide, wide])]

    monkeypatch.setattr(duel, "running", running)


@pytest.mark.usefixtures("two_tables")
def test_tables_with_different_columns_are_printed_one_after_the_other(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert run(monkeypatch, "duel") == 0
    shown = capsys.readouterr().out
    assert (
        shown.index("duel-narrow")
        < shown.index("boxing")
        < shown.index("duel-wide")
        < shown.index("column 9")
    )
    assert run(monkeypatch, "duel", "--json") == 0
    assert list(json.loads(capsys.readouterr().out)) == ["duel-narrow", "duel-wide"]


@pytest.mark.usefixtures("two_tables")
def test_every_table_is_recorded_in_its_own_file(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    folder = tmp_path / "figures"
    assert run(monkeypatch, "duel", "--record", str(folder), "--note", "quiet") == 0
    assert sorted(path.name for path in folder.iterdir()) == ["duel-narrow.csv", "duel-wide.csv"]
    assert run(monkeypatch, "duel", "--record", str(folder)) == 0
    header, first, second = (folder / "duel-narrow.csv").read_text(encoding="utf-8").splitlines()
    assert header == "date,commit,note,scene,hits"
    assert first.endswith(",quiet,boxing,3")
    assert second.endswith(",,boxing,3")


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (("duel", "--only", "depth"), "did you mean 'depths'"),
        (("experiments", "--only", "chaise"), "did you mean 'chase'"),
        (("stories", "--only", "endngs"), "did you mean 'endings'"),
        (("patches", "--only", "tennis"), "There are building, composition"),
        (("render", "--only", "people"), "this bench has no parts"),
        (("duel", "--quick", "--record", "figures"), "cannot be recorded"),
        (("duel", "--seeds", "3"), "works with `bench behaviour` only"),
        (("behaviour", "--only", "boxin"), "did you mean 'boxing'"),
        (("behaviour", "--files", "nowhere", "--only", "captured"), "there are no recordings"),
    ],
)
def test_what_cannot_be_measured_is_refused(
    words: tuple[str, ...],
    said: str,
    monkeypatch: pytest.MonkeyPatch,
    capsys: pytest.CaptureFixture[str],
    tmp_path: Path,
) -> None:
    monkeypatch.chdir(tmp_path)
    assert run(monkeypatch, *words) == 2
    assert said in " ".join(capsys.readouterr().err.split())
