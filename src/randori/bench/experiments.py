"""The papers' findings, each from many starting positions: the figure, the limit, and whether it came out.

Every bout is a shipped scene with other places, depths or weights, played on one thread; two processes share
the bouts. Nothing here depends on the machine but the time that it takes.
"""

import multiprocessing
from collections.abc import Callable, Generator, Iterable, Iterator, Mapping, Sequence
from concurrent.futures import ProcessPoolExecutor
from contextlib import contextmanager
from dataclasses import dataclass, field
from functools import lru_cache
from itertools import pairwise
from typing import Any

import numpy as np

from randori.bench.tables import Row, Rows, Table, check_part
from randori.duel.stock import build_stock
from randori.graph.action_graph import ActionGraph
from randori.graph.motions import Motions
from randori.graph.places import compose
from randori.scene.motions import preparing
from randori.scene.run import deciding
from randori.scene.scene import Checkpoint, Member, Scene
from randori.scene.story import DIRECTOR_TABLE_5
from randori.timeline.quality import fight_figures
from randori.timeline.timeline import CHOSEN, Timeline
from randori.work import finish

STARTS = 20  # starting positions of each kind of bout
PROCESSES = 2
SECONDS = 10.0  # of a bout
_QUICK_SECONDS = 2.0  # of a bout in the quick form, on half a minute of motions and one ply
_CONTEST_LENGTH = 4.0  # times: of a bout that has a winner, or one lucky blow would decide many
# x, z metres: the path that a pair follows from (0, 0), round a corner
ROUTE = ((0.6, 0.0), (1.2, 0.0), (1.8, 0.0), (1.8, 0.6), (1.8, 1.2), (1.8, 1.8))
PACE = 3.0  # seconds from one of them to the next
_INSISTENT_PATH_WEIGHT = (
    3e8  # w_p that no blow outweighs; the preset's 10 a square metre only decides between equals
)


@dataclass(frozen=True)
class Record:
    """The figures of a bout that the tables use."""

    seconds: float
    figures: Mapping[str, Any]  # as timeline.quality has them
    places: np.ndarray  # (T, N, 2) metres, ten times a second
    short: int  # attacks that need the opponent near
    options: tuple[float, float]  # choices before and after the plausibility rules, on average
    checkpoints: int  # that were reached

    @property
    def apart(self) -> np.ndarray:
        """(T,) metres between the first two."""
        return np.linalg.norm(self.places[:, 0] - self.places[:, 1], axis=-1)


@dataclass(frozen=True)
class Finding:
    """Something that a paper says: bouts of several kinds, and how they are judged."""

    bouts: dict[str, list[Scene]]
    judge: Callable[[dict[str, list[Record]]], Rows] = field(repr=False)


def running(only: str | None = None, quick: bool = False) -> Generator[float, None, list[Table]]:
    """A table for each of FINDINGS, or for one of them; yields the share that is done."""
    check_part(only, FINDINGS)
    starts, seconds, processes = (1, _QUICK_SECONDS, 1) if quick else (STARTS, SECONDS, PROCESSES)
    findings = {name: make(starts, seconds) for name, make in FINDINGS.items() if only in (None, name)}
    bouts = [bout for finding in findings.values() for some in finding.bouts.values() for bout in some]
    if quick:
        bouts = [shortened(bout) for bout in bouts]
    for motions in dict.fromkeys(motions for bout in bouts for motions in bout.motions.values()):
        finish(preparing(motions, bouts[0].folder))  # once, not in every process
        yield 0.0
    records: list[Record] = []
    with _workers(processes) as work:
        for record in work(bouts):
            records.append(record)
            yield len(records) / len(bouts)
    dealt = _dealt(findings.values(), records)
    return [
        Table(f"experiments-{name}", finding.judge(found))
        for (name, finding), found in zip(findings.items(), dealt)
    ]


def shortened(bout: Scene) -> Scene:
    """A bout that is soon over: to try out whether everything runs."""
    motions = {
        name: one.model_copy(update={"seconds": 30.0, "choices": 8.0}) for name, one in bout.motions.items()
    }
    cast = tuple(_changed(member, depth=1) for member in bout.cast)
    return bout.changed(motions=motions, cast=cast, seconds=_QUICK_SECONDS)


def _dealt(findings: Iterable[Finding], records: Iterable[Record]) -> Iterator[dict[str, list[Record]]]:
    """The records of each finding, by kind, in the order in which their bouts were handed out."""
    left = iter(records)
    for finding in findings:
        yield {kind: [next(left) for _ in bouts] for kind, bouts in finding.bouts.items()}


@contextmanager
def _workers(processes: int) -> Iterator[Callable[[Iterable[Scene]], Iterator[Record]]]:
    """Something that plays bouts and keeps their order."""
    if processes < 2:
        yield lambda bouts: map(play, bouts)
        return
    with ProcessPoolExecutor(processes, multiprocessing.get_context("spawn")) as pool:
        try:
            yield lambda bouts: pool.map(play, bouts)
        finally:
            pool.shutdown(wait=False, cancel_futures=True)


# ---- Bouts


@lru_cache(maxsize=4)
def _graph(motions: Motions) -> ActionGraph:
    return finish(preparing(motions, Scene.load("boxing").folder))


@lru_cache(maxsize=2)
def _short_attacks(graph: ActionGraph) -> np.ndarray:
    return build_stock([graph]).short


def play(scene: Scene) -> Record:
    """Let the characters of a scene decide, and count."""
    graphs = {name: _graph(motions) for name, motions in scene.motions.items()}
    timeline = finish(deciding(scene, graphs, threads=1))
    short = sum(
        int(_short_attacks(graphs[scene.motions_of(member)])[one.action])
        for member, track in zip(scene.cast, timeline.tracks)
        for one in track.placed
        if one.cause == CHOSEN
    )
    options = [
        (len(decision.options), sum(not option.rule for option in decision.options))
        for decision in timeline.decisions
    ]
    before, after = np.mean(options, axis=0) if options else (0.0, 0.0)
    reached = sum(event.kind == "checkpoint" for event in timeline.events)
    figures = fight_figures(timeline)
    return Record(
        timeline.seconds, figures, places_of(timeline), short, (float(before), float(after)), reached
    )


def places_of(timeline: Timeline) -> np.ndarray:
    """(T, N, 2) metres: the pelvis of each character, ten times a second."""
    ticks = range(0, timeline.ticks, round(timeline.fps / 10.0))
    places = np.zeros((len(ticks), len(timeline.tracks), 2))
    for who, track in enumerate(timeline.tracks):
        for number, tick in enumerate(ticks):
            one = timeline.placed_at(who, tick)
            frame = one.first + min(tick, one.stop) - one.start
            moved = np.array([[one.placement.x, one.placement.z, one.placement.yaw]])
            places[number, who] = compose(track.library.placements[frame : frame + 1], moved)[0, :2]
    return places


def _from_everywhere(scene: Scene, starts: int, seconds: float, **changes: Any) -> list[Scene]:
    """A scene of two face to face, from many starting positions; every other time the second is the first."""
    random = np.random.default_rng(1)
    bouts = []
    for seed in range(1, starts + 1):
        apart, turns = random.uniform(1.2, 2.4), random.uniform(-20.0, 20.0, 2)
        cast = [
            _changed(member, place=(0.0, place, turn))
            for member, place, turn in zip(scene.cast, (0.0, apart), (turns[0], 180.0 + turns[1]))
        ]
        order = cast if seed % 2 else cast[::-1]
        bouts.append(scene.changed(cast=tuple(order), seed=seed, seconds=seconds, **changes))
    return bouts


def _changed(member: Member, **changes: Any) -> Member:
    return member.model_copy(update=changes)


def _with_depths(scene: Scene, *depths: int) -> Scene:
    cast = tuple(_changed(member, depth=depth) for member, depth in zip(scene.cast, depths))
    return scene.changed(cast=cast)


# ---- Findings


def _row(what: str, found: str, wanted: str = "", came_out: bool | None = None) -> Row:
    return {
        "finding": what,
        "found": found,
        "wanted": wanted,
        "came out": "" if came_out is None else "yes" if came_out else "NO",
    }


def _share(part: float, whole: float) -> float:
    return part / whole if whole else 0.0


def _won(records: Sequence[Record]) -> tuple[int, int, float, float]:
    """Wins and defeats, by damage, of the first fighter of the scene, and the damage that both gave."""
    damage = np.array(
        [record.figures["damage"][:: 1 if seed % 2 else -1] for seed, record in enumerate(records, 1)]
    )
    first, second = damage.T
    return int((first > second).sum()), int((first < second).sum()), float(first.sum()), float(second.sum())


def _contest(what: str, records: Sequence[Record], share: float) -> Row:
    won, lost, given, taken = _won(records)
    found = f"{won} won, {lost} lost of {len(records)}; damage {given:.0f} to {taken:.0f}"
    return _row(what, found, f"≥ {100 * share:.0f} % won", won >= share * len(records))


def _depth(starts: int, seconds: float) -> Finding:
    scene = Scene.load("smart-against-simple")
    return Finding(
        {"": _from_everywhere(scene, starts, _CONTEST_LENGTH * seconds)},
        lambda found: [_contest("4 plies beat 2 plies", found[""], 0.9)],
    )


def _energy(starts: int, seconds: float) -> Finding:
    scene = Scene.load("energetic-against-tired")
    turned = scene.changed(cast=scene.cast[::-1])
    bouts = {
        "same": _from_everywhere(scene, starts, _CONTEST_LENGTH * seconds),
        "deeper": _from_everywhere(_with_depths(turned, 4, 2), starts, _CONTEST_LENGTH * seconds),
    }

    def judge(found: dict[str, list[Record]]) -> Rows:
        return [
            _contest("energetic beats tired, both 3 plies", found["same"], 0.6),
            _contest("tired with 4 plies beats energetic with 2", found["deeper"], 0.6),
        ]

    return Finding(bouts, judge)


def _styles(starts: int, seconds: float) -> Finding:
    bouts = {
        name: _from_everywhere(Scene.load(name), starts, seconds) for name in ("infighters", "outboxers")
    }

    def judge(found: dict[str, list[Record]]) -> Rows:
        near, far = (
            float(np.mean([record.apart.mean() for record in found[name]]))
            for name in ("infighters", "outboxers")
        )
        short, rarely = (sum(record.short for record in found[name]) for name in bouts)
        attacks = [sum(record.figures["attacks"] for record in found[name]) for name in bouts]
        return [
            _row(
                "infighters stand closer than outboxers",
                f"{near:.2f} m, {far:.2f} m",
                "at most 3/4 of it",
                near <= 0.75 * far,
            ),
            _row(
                "infighters throw more short attacks",
                f"{short} of {attacks[0]} attacks, {rarely} of {attacks[1]}",
                "three times as many, and a larger share",
                short >= 3 * rarely and _share(short, attacks[0]) > _share(rarely, attacks[1]),
            ),
        ]

    return Finding(bouts, judge)


def _chases(scene: Scene, starts: int, seconds: float) -> list[Scene]:
    """A chase from many starting positions: the runaway looks any way, the chasers look along z."""
    random = np.random.default_rng(2)
    bouts = []
    for seed in range(1, starts + 1):
        away, looks = random.uniform(1.5, 3.0), random.uniform(-180.0, 180.0)
        sides = np.cumsum([0.0] + [1.5] * (len(scene.cast) - 2))
        chasers = [
            _changed(member, place=(float(side - sides.mean()), 0.0, 0.0))
            for member, side in zip(scene.cast, sides)
        ]
        runaway = _changed(scene.cast[-1], place=(0.0, float(away), float(looks)))
        bouts.append(scene.changed(cast=(*chasers, runaway), seed=seed, seconds=seconds))
    return bouts


def _caught(records: Sequence[Record], seconds: float) -> tuple[int, float]:
    """The number of runaways caught, and the mean time in seconds; an escape counts with the whole bout."""
    times = [record.figures["first_caught"] for record in records]
    return sum(time >= 0.0 for time in times), float(np.mean([t if t >= 0.0 else seconds for t in times]))


def _sooner(what: str, slow: Sequence[Record], fast: Sequence[Record], seconds: float) -> Row:
    (often, late), (oftener, soon) = _caught(slow, seconds), _caught(fast, seconds)
    found = f"{soon:.1f} s ({oftener} of {len(fast)} caught), {late:.1f} s ({often} of {len(slow)})"
    return _row(what, found, "sooner", soon < late)


def _chase(starts: int, seconds: float) -> Finding:
    scene = Scene.load("chase")
    bouts = {
        "2": _chases(_with_depths(scene, 2, 2), starts, seconds),
        "4": _chases(_with_depths(scene, 4, 2), starts, seconds),
    }
    return Finding(
        bouts,
        lambda found: [
            _sooner(
                "a chaser with 4 plies catches a runaway with 2 sooner than one with 2",
                found["2"],
                found["4"],
                seconds,
            )
        ],
    )


def _two(starts: int, seconds: float) -> Finding:
    scene = Scene.load("two-chase-one")
    one = scene.changed(cast=(scene.cast[0], scene.cast[-1]))
    bouts = {"one": _chases(one, starts, seconds), "two": _chases(scene, starts, seconds)}
    return Finding(
        bouts,
        lambda found: [_sooner("two chasers catch sooner than one", found["one"], found["two"], seconds)],
    )


def _path(starts: int, seconds: float) -> Finding:
    bouts = {
        f"{function} {depth}": along_the_route(starts, depth, function)
        for function, depths in (("cooperative", (3,)), ("competitive", (1, 2, 3)))
        for depth in depths
    }

    def judge(found: dict[str, list[Record]]) -> Rows:
        shared = found["cooperative 3"]
        off = [float(off_route(record).max()) for record in shared]
        hits = sum(record.figures["hits"] for record in shared)
        rows = [
            _row(
                "path in the cooperative function, 3 plies: the pair is off it at most",
                f"{np.median(off):.2f} m usually, {max(off):.2f} m at worst; {hits} hits, "
                f"{_checkpoints(shared)}",
                "≤ 0.5 m, hits go on",
                max(off) <= 0.5 and hits > 0,
            )
        ]
        means = []
        for depth in (1, 2, 3):
            rival = found[f"competitive {depth}"]
            means.append(float(np.mean([behind_time(record).mean() for record in rival])))
            rows.append(
                _row(
                    f"path in the competitive function, {plies_of(depth)}: from where it should be",
                    f"{means[-1]:.2f} m on average; {_checkpoints(rival)}",
                    "more with every ply" if depth > 1 else "",
                    means[-1] > means[-2] if depth > 1 else None,
                )
            )
        return rows

    return Finding(bouts, judge)


def plies_of(depth: int) -> str:
    """The depth of a search, in words."""
    return "1 ply" if depth == 1 else f"{depth} plies"


def along_the_route(starts: int, depth: int, function: str) -> list[Scene]:
    """Pairs that begin about (0, 0), looking anywhere, and have to follow the route in time."""
    scene, random = Scene.load("boxing"), np.random.default_rng(3)
    path = tuple(
        Checkpoint(place=place, radius=0.35, time=PACE * number) for number, place in enumerate(ROUTE, 1)
    )
    bouts = []
    for seed in range(1, starts + 1):
        apart, turn = random.uniform(1.2, 2.0), float(random.uniform(0.0, 360.0))
        x, z = 0.5 * apart * np.sin(np.deg2rad(turn)), 0.5 * apart * np.cos(np.deg2rad(turn))
        cast = tuple(
            _changed(
                member,
                style="boxer-on-path",
                depth=depth,
                place=(sign * float(x), sign * float(z), way),
                weights={"path_weight": _INSISTENT_PATH_WEIGHT},
            )
            for member, sign, way in zip(scene.cast, (-1.0, 1.0), (turn, turn + 180.0))
        )
        seconds = PACE * (len(ROUTE) + 1)
        bouts.append(scene.changed(cast=cast, path=path, seed=seed, seconds=seconds, path_function=function))
    return bouts


def _checkpoints(records: Sequence[Record]) -> str:
    return f"{np.mean([record.checkpoints for record in records]):.1f} of {len(ROUTE)} checkpoints"


def _middle(record: Record) -> np.ndarray:
    """(T, 2) metres: the middle of a pair, until the path is over; afterwards nothing keeps it anywhere."""
    over = round(len(record.places) * PACE * len(ROUTE) / record.seconds)
    middle: np.ndarray = record.places[:over, :2].mean(axis=1)
    return middle


def off_route(record: Record) -> np.ndarray:
    """(T,) metres from the middle of a pair to the path."""
    middle = _middle(record)
    off = np.full(len(middle), np.inf)
    for start, stop in pairwise(np.array([(0.0, 0.0), *ROUTE])):
        way = stop - start
        along = np.clip((middle - start) @ way / (way @ way), 0.0, 1.0)
        off = np.minimum(off, np.linalg.norm(middle - start - along[:, None] * way, axis=-1))
    return off


def behind_time(record: Record) -> np.ndarray:
    """(T,) metres from the middle of a pair to where it should be at that moment."""
    middle, corners = _middle(record), np.array([(0.0, 0.0), *ROUTE])
    passed = np.arange(len(middle)) * record.seconds / len(record.places) / PACE
    should = [np.interp(passed, np.arange(len(corners)), corners[:, axis]) for axis in (0, 1)]
    return np.linalg.norm(middle - np.stack(should, axis=1), axis=-1)


def _alive(starts: int, seconds: float) -> Finding:
    scene = Scene.load("boxing")
    unguarded = scene.changed(cast=tuple(_changed(member, reaction=0.0) for member in scene.cast))
    reaction = scene.cast[0].reaction
    bouts = {
        f"reaction {reaction:g} s": _from_everywhere(scene, starts, seconds),
        "reaction 0 s": _from_everywhere(unguarded, starts, seconds),
    }

    def judge(found: dict[str, list[Record]]) -> Rows:
        return [row for kind, records in found.items() for row in _liveliness(kind, records)]

    return Finding(bouts, judge)


def _liveliness(kind: str, records: Sequence[Record]) -> Rows:
    """Liveliness of fights between equals. The limits are for fighters with a reaction time."""
    minutes = sum(record.seconds for record in records) / 60.0

    def total(name: str) -> float:
        return sum(record.figures[name] for record in records)

    hits = total("hits") / minutes
    landed = _share(sum(r.figures["landed"] * r.figures["attacks"] for r in records), total("attacks"))
    repeats = _share(sum(r.figures["repetition"] * r.figures["choices"] for r in records), total("choices"))
    guarded = (total("defences") / minutes, total("blocks") / minutes)
    apart = np.concatenate([record.apart for record in records])
    per_bout = [60.0 * record.figures["hits"] / record.seconds for record in records]
    judged = kind != "reaction 0 s"

    def row(what: str, found: str, wanted: str, fine: bool) -> Row:
        return _row(f"{kind}: {what}", found, wanted if judged else "", fine if judged else None)

    return [
        row(
            "hits a minute",
            f"{hits:.1f} (bouts {min(per_bout):.0f} to {max(per_bout):.0f})",
            "10 to 25",
            10.0 <= hits <= 25.0,
        ),
        row(
            "attacks that land",
            f"{100 * landed:.0f} % of {total('attacks') / minutes:.1f} a minute",
            "40 to 80 %",
            0.4 <= landed <= 0.8,
        ),
        row("defences, blocks a minute", f"{guarded[0]:.1f}, {guarded[1]:.1f}", "appear", min(guarded) > 0.0),
        row("choices that repeat one of the last four", f"{100 * repeats:.0f} %", "≤ 15 %", repeats <= 0.15),
        row(
            "distance: mean, 5 % to 95 %, farthest",
            f"{apart.mean():.2f} m, {np.percentile(apart, 5):.2f} to {np.percentile(apart, 95):.2f} m, "
            f"{apart.max():.2f} m",
            "nobody drifts away: 95 % ≤ 3 m",
            float(np.percentile(apart, 95)) <= 3.0,
        ),
    ]


def _choices(starts: int, seconds: float) -> Finding:
    scenes = {"boxing": "boxing", "sword": "sword-duel", "running": "chase"}
    bouts = {
        name: _from_everywhere(_with_depths(Scene.load(scene), 2, 2), starts, seconds)
        for name, scene in scenes.items()
    }

    def judge(found: dict[str, list[Record]]) -> Rows:
        rows = []
        for name, records in found.items():
            before, after = np.mean([record.options for record in records], axis=0)
            theirs = DIRECTOR_TABLE_5[name]
            rows.append(
                _row(
                    f"{name}: choices before and after the rules",
                    f"{before:.1f} → {after:.1f}",
                    f"the paper: {theirs[0]} → {theirs[1]}",
                )
            )
        return rows

    return Finding(bouts, judge)


FINDINGS: dict[str, Callable[[int, float], Finding]] = {
    "depth": _depth,
    "energy": _energy,
    "styles": _styles,
    "chase": _chase,
    "two": _two,
    "path": _path,
    "alive": _alive,
    "choices": _choices,
}
