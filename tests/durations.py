"""How long every test takes: which ones are slow, and which ones had better start first.

What counts is processor time, with compiled kernels: that of a test and of the processes that it starts, and
its share of what is made for several tests (what a fixture takes, divided by how many tests use it), because
that is made anew after every change of Randori. `slow.csv` lists the tests that take more than SLOW seconds.
It lists fixtures, too, if each of their users' shares is longer: a new test that uses one of them is slow.
`make check` leaves slow tests out, and `make test` begins with the files that take longest. `make durations`
measures again.
"""

import csv
import os
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from pathlib import Path
from random import Random
from typing import Any

import pytest

SLOW = 0.25  # seconds of processor time
TABLE = Path(__file__).with_name("slow.csv")


def read_table() -> dict[str, float]:
    """Seconds by the name of a test; of a fixture, the share of each test that uses it."""
    with TABLE.open(encoding="utf-8", newline="") as file:
        return {row["test"]: float(row["seconds"]) for row in csv.DictReader(file)}


def write_table(seconds: dict[str, float]) -> None:
    """Keep the slow ones, the slowest first."""
    with TABLE.open("w", encoding="utf-8", newline="") as file:
        rows = csv.writer(file, lineterminator="\n")
        rows.writerow(["test", "seconds"])
        for name, value in sorted(seconds.items(), key=lambda item: (-item[1], item[0])):
            if value > SLOW:
                rows.writerow([name, f"{value:.1f}"])


def mark_and_sort(items: list[pytest.Item]) -> None:
    """Mark the slow tests; files that take longest come first, and tests stay in the order of their file."""
    known = read_table()
    whole: Counter[str] = Counter()
    for item in items:
        names = [item.nodeid, *(_name_of(one, item) for one in _shared_by(item))]
        seconds = [known[name] for name in names if name in known]
        if seconds:
            item.add_marker(pytest.mark.slow)
            whole[_file_of(item.nodeid)] += seconds[0]
    items.sort(key=lambda item: -whole[_file_of(item.nodeid)])


def shuffle(items: list[pytest.Item], seed: int) -> None:
    """Another order of the files, and of the tests in each: a file stays together, as it shares much."""
    random = Random(seed)
    files = sorted({_file_of(item.nodeid) for item in items})
    random.shuffle(files)
    place = {file: number for number, file in enumerate(files)}
    random.shuffle(items)
    items.sort(key=lambda item: place[_file_of(item.nodeid)])


def left_out() -> str:
    """What a run without the slow tests leaves out, in words."""
    seconds: Counter[str] = Counter()
    tests: Counter[str] = Counter()
    for name, value in read_table().items():
        if is_test(name):
            seconds[_file_of(name)] += value
            tests[_file_of(name)] += 1
    lines = [f"{value:6.1f} s {tests[file]:4} in {file}" for file, value in seconds.most_common()]
    whole = f"left out: {sum(tests.values())} slow tests, {sum(seconds.values()):.0f} s of processor time"
    return "\n".join([*lines, f"{whole}, and the studio at work (`make test` runs them)"])


def is_test(name: str) -> bool:
    """Whether a row of the table is a test. Otherwise it is a fixture."""
    return name.partition("[")[0].rpartition("::")[2].startswith("test_")


def _file_of(name: str) -> str:
    return name.partition("::")[0]


class Recorder:
    """A plugin that measures; each process of pytest-xdist has one and hands its figures over at the end."""

    def __init__(self) -> None:
        self.own: dict[str, float] = defaultdict(float)  # seconds of tests, without what they share
        self.fixtures: dict[str, float] = {}  # seconds of what is shared, without what it needs itself
        self.users: dict[str, list[str]] = defaultdict(list)  # tests by what they share
        self._within: list[float] = []  # seconds of fixtures inside the one that is being made

    @pytest.hookimpl(wrapper=True)
    def pytest_runtest_protocol(self, item: pytest.Item) -> Iterator[Any]:
        begin, self._within = processor_seconds(), [0.0]
        result = yield
        self.own[item.nodeid] = processor_seconds() - begin - self._within[0]
        for one in _shared_by(item):
            self.users[_name_of(one, item)].append(item.nodeid)
        return result

    @pytest.hookimpl(wrapper=True)
    def pytest_fixture_setup(self, fixturedef: Any, request: Any) -> Iterator[Any]:
        if fixturedef.scope == "function":
            return (yield)
        begin = processor_seconds()
        self._within.append(0.0)
        try:
            return (yield)
        finally:
            taken = processor_seconds() - begin
            name = _name_of(fixturedef, request._pyfuncitem)
            self.fixtures[name] = taken - self._within.pop()
            self._within[-1] += taken

    def figures(self) -> dict[str, Any]:
        return {"own": dict(self.own), "fixtures": self.fixtures, "users": dict(self.users)}


class Gatherer:
    """A plugin that adds up what the processes have measured and writes the table."""

    def __init__(self) -> None:
        self.all: list[dict[str, Any]] = []

    def pytest_testnodedown(self, node: Any) -> None:
        self.all.append(node.workeroutput["durations"])

    def write(self) -> None:
        own: dict[str, float] = {}
        fixtures: dict[str, float] = {}
        users: dict[str, list[str]] = defaultdict(list)
        for figures in self.all:
            own |= figures["own"]
            for name, seconds in figures["fixtures"].items():
                fixtures[name] = max(seconds, fixtures.get(name, 0.0))
            for name, tests in figures["users"].items():
                users[name] += tests
        shares = {name: seconds / len(users[name]) for name, seconds in fixtures.items() if users[name]}
        for name, share in shares.items():
            for test in users[name]:
                own[test] += share
        write_table(own | shares)


def _shared_by(item: Any) -> Iterator[Any]:
    """The fixtures of a test that other tests use, too."""
    info = getattr(item, "_fixtureinfo", None)
    for definitions in (info.name2fixturedefs if info else {}).values():
        for one in definitions:
            if one.scope != "function":
                yield one


def _name_of(fixture: Any, item: Any) -> str:
    """A fixture, and with which parameter."""
    call = getattr(item, "callspec", None)
    parameter = call.params.get(fixture.argname, "") if call else ""
    return f"{fixture.baseid}::{fixture.argname}" + (f"[{parameter}]" if parameter != "" else "")


def processor_seconds() -> float:
    """Of this process and all that it has started, also where they go on, as servers and browsers do."""
    if not Path("/proc/self/stat").exists():
        return time.process_time()
    children: dict[int, list[int]] = defaultdict(list)
    ticks: dict[int, int] = {}
    for folder in Path("/proc").iterdir():
        if folder.name.isdigit():
            try:
                fields = (folder / "stat").read_text().rpartition(")")[2].split()
            except OSError:
                continue  # it has just ended
            children[int(fields[1])].append(int(folder.name))
            ticks[int(folder.name)] = sum(map(int, fields[11:15]))
    total, waiting = 0, [os.getpid()]
    while waiting:
        process = waiting.pop()
        total += ticks.get(process, 0)
        waiting += children[process]
    return total / os.sysconf("SC_CLK_TCK")
