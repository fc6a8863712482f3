"""A crowd that falls like dominoes: one falls onto the next, until the fallen fill a picture on the floor."""

import heapq
from collections.abc import Sequence
from dataclasses import dataclass, field
from functools import lru_cache

import numpy as np

from randori.body.capsules import CAPSULES
from randori.graph.places import compose, inverse
from randori.kernels import patch_dominoes as kernels
from randori.kernels.patch_dominoes import CANDIDATE, FallRules, Parent, Silhouettes
from randori.kernels.patch_ways import BOX, SHOWN, Plan, reach_box
from randori.kernels.places import as_places
from randori.motion.parts import SIDES
from randori.patches.compose import Composer, Wish, score
from randori.patches.joins import OVERLAP
from randori.patches.library import EVENT_KINDS
from randori.patches.novelty import kinds_of
from randori.patches.picture import HEART, SQUARE, Picture, silhouettes
from randori.patches.prepared import Prepared
from randori.patches.stage import StageCharacter, State, to_place, to_row
from randori.timeline.timeline import Placed

_FIRST = 60  # tick in which the first one falls
_PLACES = 400  # that are tried for the first one
_OPENINGS = 40  # of them that are looked at closely
_OUTSIDE = 1.5  # times that what lies outside counts against
_TIGHT = 1.4  # square metres that lying close to others on all sides is worth
_LEAST = (0.35, 0.25, 0.15, 0.08)  # square metres that somebody must add, turn by turn
_FALLING = 1.8  # seconds that somebody falls onto somebody: afterwards
_RESTING = 0.06  # metres may one be in the other, which refinement takes apart;
_CROSSING = 0.04  # a limb in a limb: deeper ones have crossed, and cannot be taken apart where they lie
_LIMBS = [number for number, name in enumerate(CAPSULES) if name.startswith(SIDES)]
_ENOUGH, _FILLINGS = 0.92, 3  # of the picture that is covered: if it is less, it is begun anew, so often
_STRIDE = 7919  # a prime: from one seed to the next
_HALFWAY = 0.5  # seconds after somebody began to fall: then it is seen best
_LOOK, _LOOK_BACK = 2.0, 2.5  # metres about who falls; seconds after the last fall until all are looked at
FALLING_HEIGHT = 0.4  # metres of the pelvis above the floor: a body below lies rather than falls
KNEE_HEIGHT = 0.5  # metres above the floor: a push below it does not throw anybody over
_ALIKE = 2  # times that somebody pushes others with the same pair of actions
_STRONG = 0.2  # share of the patches with strong pushes from which on only those are used
_KNOWN = 0.05  # preference for what the table `beside` has: it does not touch who fell before


@dataclass
class Fallen:
    """Somebody who falls, and all who could be taken along: candidates are patches that are put somewhere."""

    who: int
    tick: int  # in which it begins
    numbers: np.ndarray  # (K,) int64, patches
    places: np.ndarray  # (K, 3)
    ticks: np.ndarray  # (K,) int64
    ends: np.ndarray  # (K, 3) where the recordings go in which they lie
    shapes: np.ndarray  # (K,) int64, of the silhouettes
    known: np.ndarray  # (K,) bool, the table `beside` has it
    alive: np.ndarray  # (K,) bool, may still be possible
    most: np.ndarray  # (K,) square metres that it was good for when last looked at: it only gets less
    onto: list[int] = field(default_factory=list)  # the pairs of actions with which it pushed others so far


class Dominoes:
    """Everybody stands until somebody falls onto them: the best of a few fillings of a picture."""

    def __init__(self, prepared: Prepared, seed: int, rows: Sequence[str] = HEART):
        best = Filling(prepared, seed, rows)
        for number in range(1, _FILLINGS):
            if best.picture.share() >= _ENOUGH:
                break
            another = Filling(prepared, seed + number * _STRIDE, rows)
            best = max(best, another, key=lambda one: one.picture.share())
        self.stage, self.picture = best.stage, best.picture
        self._best = best

        self.composer = best.composer
        self._spared: set[int] = set()  # characters that stand on, because nobody falls onto them any more

    @property
    def names(self) -> list[str]:
        return [actor.name for actor in self.stage.actors]

    def obey(self, wish: Wish, now: int) -> None:
        """Nobody is steered here."""

    def spare(self, who: int, now: int) -> None:
        """A character that has not begun to fall stands on, and so do all that it would take along."""
        for other in sorted(self._best.taken_along(who)):
            step = self.stage.actors[other].steps[-1]
            if step.start > now:
                self.composer.break_off(other, now)
                self._spared.add(other)

    def advance(self, now: int) -> None:
        """All of it is known from the beginning; who lies goes on lying, who is spared goes on standing."""
        for who in sorted(self._spared):
            while self.stage.actors[who].state.tick <= now + 1:
                self.composer.rest(who)

    def front(self, ticks: int) -> np.ndarray:
        """(ticks + 1, 3) where somebody falls just then, x and z in metres, and how many metres about it are
        worth a look: along those who took each other along until the last one fell, then all of the picture.
        """
        line = self._best.line()
        falls = [self.stage.actors[who].steps[-1] for who in line]
        hits = [step.start + round(_HALFWAY * self.stage.fps) for step in falls]
        spots = [self.stage.spots(hit)[who] for who, hit in zip(line, hits)]
        rows = [(*spot, _LOOK) for spot in spots] + [(0.0, 0.0, self.picture.reach())]
        hits.append(hits[-1] + round(_LOOK_BACK * self.stage.fps))
        return np.stack([np.interp(np.arange(ticks + 1), hits, column) for column in zip(*rows)], axis=-1)


class Filling:
    """People who fall onto each other until a picture is full, or nobody has room any more."""

    def __init__(self, prepared: Prepared, seed: int, rows: Sequence[str]):
        self.composer = Composer(prepared, seed)
        self.stage, self.picture = self.composer.stage, Picture(rows)
        self._learn(prepared)
        self._boxes = np.zeros(0, BOX)
        resting = np.full((16, 16), _RESTING)
        resting[np.ix_(_LIMBS, _LIMBS)] = _CROSSING
        falling = round(_FALLING * self.stage.fps)
        self._rules = FallRules(np.full((16, 16), OVERLAP), resting, falling)
        parts = self.stage.ways.parts
        self._room = np.empty(int((parts["last"] - parts["first"]).max()) + 1, SHOWN)
        self._fallen: list[Fallen] = []
        self._parents: list[int] = []  # who fell onto each; -1 for who fell untouched
        self._waiting: list[tuple[int, int]] = []  # tick in which somebody falls, number of the fallen
        for island in self.picture.islands():
            self._first(island)
        for least in _LEAST:
            self._waiting = sorted((fallen.tick, number) for number, fallen in enumerate(self._fallen))
            while self._waiting:
                _, number = heapq.heappop(self._waiting)
                self._take_along(self._fallen[number], least)

    def line(self) -> list[int]:
        """From somebody who falls untouched to the one who falls last, each taken along by the one before."""
        line = [max(range(len(self._fallen)), key=lambda number: self._fallen[number].tick)]
        while self._parents[line[-1]] >= 0:
            line.append(self._parents[line[-1]])
        return line[::-1]

    def taken_along(self, who: int) -> set[int]:
        """A character, and all that fall because it falls."""
        found = {who}
        for other, parent in enumerate(self._parents):  # in the order in which they fall: parents come first
            if parent in found:
                found.add(other)
        return found

    def _learn(self, prepared: Prepared) -> None:
        """What is known of the patches."""
        actions = self.composer.first_action[1::2]
        can_begin = self.composer.start_posture[::2]
        can_begin = (can_begin >= 0) & self.composer.locomotion.can_wait[can_begin] & pushes_over(prepared)
        self._by_action = {
            int(action): np.flatnonzero((actions == action) & can_begin) for action in np.unique(actions)
        }
        self._last = prepared.patches.arrays.step_start[1::2] - 1  # in which who is fallen upon comes to lie
        self._falls, self._kinds = np.unique(actions), kinds_of(prepared).actions
        self._shapes, self._shape, self._fall_shape = _lying(prepared)

    # -- one falls by itself -----------------------------------------------------------------------

    def _first(self, island: np.ndarray) -> None:
        """Somebody who falls untouched, one for each part of the picture: where most can follow."""
        rng, stock, picture = self.composer.rng, self.stage.stock, self.picture
        cells = np.argwhere(island)
        cells = cells[rng.integers(len(cells), size=_PLACES)]
        spots = np.column_stack([picture.left + cells[:, 1] * SQUARE, picture.top - cells[:, 0] * SQUARE])
        which = rng.integers(len(self._falls), size=_PLACES)
        actions = self._falls[which]
        # the middle of the fallen body goes to the spot
        yaws = rng.uniform(-np.pi, np.pi, _PLACES)
        flat = np.column_stack([stock.pelvis[stock.stop[actions], :2], np.zeros(_PLACES)])
        turned = compose(flat, np.column_stack([np.zeros((_PLACES, 2)), yaws]))
        places = np.column_stack([spots - turned[:, :2], yaws])
        gains = picture.gains(self._shapes, self._fall_shape[which], places)
        locomotion = self.composer.locomotion
        most, best = -1, []
        for row in np.argsort(-self._values(gains), kind="stable")[:_OPENINGS]:
            action = int(actions[row])
            posture = compose(stock.entry[[action]], places[[row]])[0]
            begin = State(int(stock.start_posture[action]), to_place(posture), _FIRST)
            step = locomotion.placed(action, begin)
            candidates = self._candidates(0, step, -1)
            steps = [*locomotion.wait_before(begin, 0), step]
            if not locomotion.can_wait[begin.posture] or self._touches(self.stage.stretch(steps), -1, 0):
                continue
            good = self._good(picture.gains(self._shapes, candidates.shapes, candidates.ends, np.inf))
            if (onto := int((good > _LEAST[0]).sum())) > most:
                most, best, shape = onto, steps, int(self._fall_shape[which[row]])
        if best:
            self._join(best, shape, -1, -1)

    @staticmethod
    def _good(gains: np.ndarray) -> np.ndarray:
        """(K,) square metres of the picture that bodies add, less for what lies outside."""
        return gains["new"] - _OUTSIDE * gains["outside"]

    def _values(self, gains: np.ndarray) -> np.ndarray:
        """(K,) the same, more for lying tightly."""
        return self._good(gains) + _TIGHT * gains["tight"]

    def _join(self, steps: Sequence[Placed], shape: int, number: int, parent: int) -> int:
        """Somebody more: stands from the beginning on, then falls; in a patch with somebody, if it is not the
        first."""
        stage, count = self.stage, len(self.stage) + 1
        who = stage.enter(StageCharacter(f"person {count}", count, stage.state_after(steps[-1])), steps)
        crowd = stage.crowd()
        shown = crowd.shown[who, : int(crowd.actors["until"][who]) + 1]
        box = np.array([reach_box(stage.stock.motions, shown, 0.0)], BOX)
        self._boxes = np.concatenate([self._boxes, box])
        self.picture.lie(self._shapes, shape, to_place(to_row(steps[-1].placement)))
        self._fallen.append(self._candidates(who, steps[-1], number))
        self._parents.append(parent)
        heapq.heappush(self._waiting, (steps[-1].start, len(self._fallen) - 1))
        return who

    # -- and takes others along --------------------------------------------------------------------

    def _candidates(self, who: int, step: Placed, patch: int) -> Fallen:
        """All who could be fallen upon by somebody who falls in a patch; by the first one, if it is -1."""
        arrays, begin = self.composer.patches.arrays, self.stage.begin
        numbers = self._by_action.get(step.action, np.zeros(0, dtype=np.int64))
        firsts = arrays.step["first"][arrays.step_start[2 * numbers + 1]]
        numbers, firsts = numbers[firsts >= step.first], firsts[firsts >= step.first]
        own = arrays.place[arrays.step_start[2 * numbers + 1]]
        places = compose(inverse(own), np.broadcast_to(to_row(step.placement), own.shape))
        ticks = step.start + firsts - step.first - begin[2 * numbers + 1]
        ends = compose(arrays.place[self._last[numbers]], places)
        alive = ticks + begin[2 * numbers] >= 0
        known = np.ones(len(numbers), dtype=bool)
        if patch >= 0:
            table = self.composer.patches.beside(patch, 0)
            known = np.isin(numbers, table["other"][table["other_role"] == 1])
        most = np.full(len(numbers), np.inf)
        return Fallen(who, step.start, numbers, places, ticks, ends, self._shape[numbers], known, alive, most)

    def _take_along(self, fallen: Fallen, least: float) -> None:
        """Those onto whom somebody falls, as long as each adds at least some square metres."""
        stage, usage = self.stage, self.composer.usage
        while True:
            alive = np.flatnonzero(fallen.alive & (fallen.most >= least))
            if len(alive) == 0:
                return
            gains = self.picture.gains(self._shapes, fallen.shapes[alive], fallen.ends[alive], least)
            good = self._good(gains)
            fallen.most[alive] = good
            gains, alive = gains[good >= least], alive[good >= least]
            if len(alive) == 0:
                return
            preference = self._values(gains) + np.where(fallen.known[alive], _KNOWN, 0.0)
            value = score(np.zeros(len(alive)), usage.value[fallen.numbers[alive]], preference)
            row = self._free(fallen, alive[np.argsort(-value, kind="stable")])
            if row < 0:
                return
            fallen.alive[row] = False
            number, place, tick = int(fallen.numbers[row]), fallen.places[row], int(fallen.ticks[row])
            begin = stage.start_of(2 * number, place, tick)
            waits = self.composer.locomotion.wait_before(begin, 0)
            steps = [*waits, *stage.steps_of(number, 0, place, tick)]
            if self._touches(stage.stretch(steps), fallen.who, tick + int(stage.begin[2 * number + 1])):
                continue
            kind = int(self._kinds[number])
            fallen.onto.append(kind)
            if fallen.onto.count(kind) >= _ALIKE:
                fallen.alive &= self._kinds[fallen.numbers] != kind
            who = self._join(steps, int(fallen.shapes[row]), number, fallen.who)
            stage.tell(number, place, tick, (who, fallen.who))
            usage.use(number)

    def _free(self, fallen: Fallen, order: np.ndarray) -> int:
        """The first of some candidates who seems to touch nobody else; -1 if there is none."""
        stage = self.stage
        candidates = np.zeros(len(fallen.numbers), CANDIDATE)
        candidates["part"], candidates["tick"] = 2 * fallen.numbers, fallen.ticks
        candidates["parted"] = fallen.ticks + stage.begin[2 * fallen.numbers + 1]
        candidates["place"] = as_places(fallen.places)
        row = kernels.first_free(
            stage.stock.motions, stage.ways, self._everybody(), self._rules, candidates, order, fallen.who,
            self._room,
        )  # fmt: skip
        fallen.alive &= candidates["dead"] == 0
        return int(row)

    def _everybody(self) -> kernels.Fallen:
        """Everybody so far, for kernels."""
        crowd = self.stage.crowd()
        return kernels.Fallen(crowd.actors, crowd.shown, self._boxes)

    def _touches(self, stretch: Plan, parent: int, parted: int) -> bool:
        """Whether somebody who does this from the beginning on touches others, or who falls onto it otherwise
        than meant."""
        motions, falls_upon = self.stage.stock.motions, Parent(parent, parted)
        return bool(kernels.touches(motions, self._everybody(), self._rules, stretch, falls_upon, 1))


@lru_cache(maxsize=4)
def pushes_over(prepared: Prepared) -> np.ndarray:
    """(N,) bool: patches in which a body that still falls pushes somebody over.

    Its pelvis is high enough as it touches, or it strikes above the knee. A library that has few of those is
    used as it is: pushes that look weak are better than people who stay on their feet.
    """
    arrays, stock = prepared.patches.arrays, prepared.stock
    firsts = arrays.step[arrays.step_start[1:-1:2]]  # with which the second falls
    events, push = arrays.event, EVENT_KINDS.index("push")
    patch = np.repeat(np.arange(len(firsts)), np.diff(arrays.event_start))
    frames = firsts["first"][patch] + events["tick"] - firsts["start"][patch]
    ends = firsts["first"] + firsts["stop"] - firsts["start"]
    high = stock.height[np.clip(frames, firsts["first"][patch], ends[patch])] > FALLING_HEIGHT
    strong = (events["kind"] == push) & (high | (arrays.mark["y"] > KNEE_HEIGHT))
    found = np.zeros(len(firsts), dtype=bool)
    found[patch[strong]] = True
    return found if found.mean() >= _STRONG else np.ones(len(firsts), dtype=bool)


@lru_cache(maxsize=4)
def _lying(prepared: Prepared) -> tuple[Silhouettes, np.ndarray, np.ndarray]:
    """How the fallen lie; which of these each patch ends with (N,), and each fall that begins one."""
    arrays, stock = prepared.patches.arrays, prepared.stock
    last = arrays.step[arrays.step_start[1::2] - 1]
    ends = last["first"] + last["stop"] - last["start"]
    falls = np.unique(arrays.step["action"][arrays.step_start[1:-1:2]])
    frames, which = np.unique(np.concatenate([ends, stock.stop[falls]]), return_inverse=True)
    shapes = silhouettes(stock.motions.body[frames].astype(np.float64), stock.motions.capsules["radius"][0])
    return shapes, which[: len(ends)], which[len(ends) :]
