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

_FIRST_TICK = 60  # tick in which the first one falls
_TRIED_PLACES = 400  # places that are tried for the first character
_EXAMINED_PLACES = 40  # of those places are examined closely
_OUTSIDE_WEIGHT = 1.5  # weight of the area of a body outside the picture
_CLOSENESS_VALUE = 1.4  # square metres that it is worth to lie close to others on all sides
_LEAST_AREAS = (0.35, 0.25, 0.15, 0.08)  # square metres that a character must add, round by round
_FALLING_SECONDS = 1.8  # seconds for which a character falls onto another; afterwards
_RESTING_DEPTH = 0.06  # bodies may be this many metres in each other, which refinement takes apart;
_CROSSING = 0.04  # a limb in a limb: deeper ones have crossed, and cannot be taken apart where they lie
_LIMBS = [number for number, name in enumerate(CAPSULES) if name.startswith(SIDES)]
# share of the picture that has to be covered; if it is less, start again, at most this often
_ENOUGH, _FILLINGS = 0.92, 3
_STRIDE = 7919  # a prime: from one seed to the next
_HALFWAY_SECONDS = 0.5  # seconds after the beginning of a fall, when it is seen best
# metres in view around a falling character; seconds after the last fall until all are shown
_LOOK, _LOOK_BACK = 2.0, 2.5
FALLING_HEIGHT = 0.4  # metres of the pelvis above the floor: a body below lies rather than falls
KNEE_HEIGHT = 0.5  # metres above the floor: a push below this height does not throw a person over
_MOST_ALIKE = 2  # times that a character may push others with the same pair of actions
_STRONG_SHARE = 0.2  # share of the patches with strong pushes from which on only those are used
_KNOWN_PREFERENCE = 0.05  # preference for patches of the table `beside`: they do not touch the fallen


@dataclass
class Fallen:
    """A character that falls, and all that it could push over; candidates are patches placed somewhere."""

    who: int
    tick: int  # tick in which it begins
    numbers: np.ndarray  # (K,) int64, patches
    places: np.ndarray  # (K, 3)
    ticks: np.ndarray  # (K,) int64
    ends: np.ndarray  # (K, 3) where the recordings go in which they lie
    shapes: np.ndarray  # (K,) int64, of the silhouettes
    known: np.ndarray  # (K,) bool, the table `beside` has it
    alive: np.ndarray  # (K,) bool, may still be possible
    most: np.ndarray  # (K,) square metres that it was good for when last looked at: it only gets less
    onto: list[int] = field(default_factory=list)  # the pairs of actions with which it has pushed others


class Dominoes:
    """All characters stand until another one falls onto them; the best of a few fillings of a picture."""

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
        self._spared: set[int] = set()  # characters that stand on, because no other falls onto them any more

    @property
    def names(self) -> list[str]:
        return [actor.name for actor in self.stage.actors]

    def obey(self, wish: Wish, now: int) -> None:
        """No character is steered here."""

    def spare(self, who: int, now: int) -> None:
        """A character that has not begun to fall stands on, and so do all that it would take along."""
        for other in sorted(self._best.taken_along(who)):
            step = self.stage.actors[other].steps[-1]
            if step.start > now:
                self.composer.break_off(other, now)
                self._spared.add(other)

    def advance(self, now: int) -> None:
        """All of it is planned at the start: fallen characters stay down, spared ones stay standing."""
        for who in sorted(self._spared):
            while self.stage.actors[who].state.tick <= now + 1:
                self.composer.rest(who)

    def front(self, ticks: int) -> np.ndarray:
        """(ticks + 1, 3) where the camera looks: x and z of the current fall in metres, and the radius in
        view.

        It follows a chain of falls to the last one and then shows the whole picture.
        """
        line = self._best.line()
        falls = [self.stage.actors[who].steps[-1] for who in line]
        hits = [step.start + round(_HALFWAY_SECONDS * self.stage.fps) for step in falls]
        spots = [self.stage.spots(hit)[who] for who, hit in zip(line, hits)]
        rows = [(*spot, _LOOK) for spot in spots] + [(0.0, 0.0, self.picture.reach())]
        hits.append(hits[-1] + round(_LOOK_BACK * self.stage.fps))
        return np.stack([np.interp(np.arange(ticks + 1), hits, column) for column in zip(*rows)], axis=-1)


class Filling:
    """Characters fall onto each other until a picture is full, or there is no more room."""

    def __init__(self, prepared: Prepared, seed: int, rows: Sequence[str]):
        self.composer = Composer(prepared, seed)
        self.stage, self.picture = self.composer.stage, Picture(rows)
        self._learn(prepared)
        self._boxes = np.zeros(0, BOX)
        resting = np.full((16, 16), _RESTING_DEPTH)
        resting[np.ix_(_LIMBS, _LIMBS)] = _CROSSING
        falling = round(_FALLING_SECONDS * self.stage.fps)
        self._rules = FallRules(np.full((16, 16), OVERLAP), resting, falling)
        parts = self.stage.ways.parts
        self._room = np.empty(int((parts["last"] - parts["first"]).max()) + 1, SHOWN)
        self._fallen: list[Fallen] = []
        self._parents: list[int] = []  # which character fell onto each; -1 if it fell by itself
        self._waiting: list[tuple[int, int]] = []  # tick of a fall, number of the fallen character
        for island in self.picture.islands():
            self._first(island)
        for least in _LEAST_AREAS:
            self._waiting = sorted((fallen.tick, number) for number, fallen in enumerate(self._fallen))
            while self._waiting:
                _, number = heapq.heappop(self._waiting)
                self._take_along(self._fallen[number], least)

    def line(self) -> list[int]:
        """The chain from a character that falls by itself to the last one, each pushed by the one before."""
        line = [max(range(len(self._fallen)), key=lambda number: self._fallen[number].tick)]
        while self._parents[line[-1]] >= 0:
            line.append(self._parents[line[-1]])
        return line[::-1]

    def taken_along(self, who: int) -> set[int]:
        """A character, and all that fall because it falls."""
        found = {who}
        for other, parent in enumerate(self._parents):  # in the order of their falls: parents come first
            if parent in found:
                found.add(other)
        return found

    def _learn(self, prepared: Prepared) -> None:
        """The facts about the patches."""
        actions = self.composer.first_action[1::2]
        can_begin = self.composer.start_posture[::2]
        can_begin = (can_begin >= 0) & self.composer.locomotion.can_wait[can_begin] & pushes_over(prepared)
        self._by_action = {
            int(action): np.flatnonzero((actions == action) & can_begin) for action in np.unique(actions)
        }
        # the step in which the second character comes to lie
        self._last = prepared.patches.arrays.step_start[1::2] - 1
        self._falls, self._kinds = np.unique(actions), kinds_of(prepared).actions
        self._shapes, self._shape, self._fall_shape = _lying(prepared)

    # -- the first falls ---------------------------------------------------------------------------

    def _first(self, island: np.ndarray) -> None:
        """One character that falls by itself for each part of the picture, where most others can follow."""
        rng, stock, picture = self.composer.rng, self.stage.stock, self.picture
        cells = np.argwhere(island)
        cells = cells[rng.integers(len(cells), size=_TRIED_PLACES)]
        spots = np.column_stack([picture.left + cells[:, 1] * SQUARE, picture.top - cells[:, 0] * SQUARE])
        which = rng.integers(len(self._falls), size=_TRIED_PLACES)
        actions = self._falls[which]
        # the middle of the fallen body goes to the spot
        yaws = rng.uniform(-np.pi, np.pi, _TRIED_PLACES)
        flat = np.column_stack([stock.pelvis[stock.stop[actions], :2], np.zeros(_TRIED_PLACES)])
        turned = compose(flat, np.column_stack([np.zeros((_TRIED_PLACES, 2)), yaws]))
        places = np.column_stack([spots - turned[:, :2], yaws])
        gains = picture.gains(self._shapes, self._fall_shape[which], places)
        locomotion = self.composer.locomotion
        most, best = -1, []
        for row in np.argsort(-self._values(gains), kind="stable")[:_EXAMINED_PLACES]:
            action = int(actions[row])
            posture = compose(stock.entry[[action]], places[[row]])[0]
            begin = State(int(stock.start_posture[action]), to_place(posture), _FIRST_TICK)
            step = locomotion.placed(action, begin)
            candidates = self._candidates(0, step, -1)
            steps = [*locomotion.wait_before(begin, 0), step]
            if not locomotion.can_wait[begin.posture] or self._touches(self.stage.stretch(steps), -1, 0):
                continue
            good = self._good(picture.gains(self._shapes, candidates.shapes, candidates.ends, np.inf))
            if (onto := int((good > _LEAST_AREAS[0]).sum())) > most:
                most, best, shape = onto, steps, int(self._fall_shape[which[row]])
        if best:
            self._join(best, shape, -1, -1)

    @staticmethod
    def _good(gains: np.ndarray) -> np.ndarray:
        """(K,) square metres of the picture that bodies add, minus a penalty for area outside."""
        return gains["new"] - _OUTSIDE_WEIGHT * gains["outside"]

    def _values(self, gains: np.ndarray) -> np.ndarray:
        """(K,) the same, more for lying tightly."""
        return self._good(gains) + _CLOSENESS_VALUE * gains["tight"]

    def _join(self, steps: Sequence[Placed], shape: int, number: int, parent: int) -> int:
        """Add a character: it stands from the beginning on, then falls, in a patch unless it is the first."""
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

    # -- and push others over ----------------------------------------------------------------------

    def _candidates(self, who: int, step: Placed, patch: int) -> Fallen:
        """All characters that a fall could push over; `patch` is -1 for the first fall."""
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
        """The characters that a fall pushes over, as long as each adds at least some square metres."""
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
            preference = self._values(gains) + np.where(fallen.known[alive], _KNOWN_PREFERENCE, 0.0)
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
            if fallen.onto.count(kind) >= _MOST_ALIKE:
                fallen.alive &= self._kinds[fallen.numbers] != kind
            who = self._join(steps, int(fallen.shapes[row]), number, fallen.who)
            stage.tell(number, place, tick, (who, fallen.who))
            usage.use(number)

    def _free(self, fallen: Fallen, order: np.ndarray) -> int:
        """The first candidate that seems to touch no other character; -1 if there is none."""
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
        """All characters so far, for kernels."""
        crowd = self.stage.crowd()
        return kernels.Fallen(crowd.actors, crowd.shown, self._boxes)

    def _touches(self, stretch: Plan, parent: int, parted: int) -> bool:
        """Whether this sequence, played from the beginning on, touches characters other than the one
        pushed."""
        motions, falls_upon = self.stage.stock.motions, Parent(parent, parted)
        return bool(kernels.touches(motions, self._everybody(), self._rules, stretch, falls_upon, 1))


@lru_cache(maxsize=4)
def pushes_over(prepared: Prepared) -> np.ndarray:
    """(N,) bool: patches in which a body that still falls pushes another one over.

    Its pelvis is high enough at the touch, or it strikes above the knee. If a library has few of those, all
    are used: pushes that look weak are better than people who stay on their feet.
    """
    arrays, stock = prepared.patches.arrays, prepared.stock
    firsts = arrays.step[arrays.step_start[1:-1:2]]  # the action with which the second character falls
    events, push = arrays.event, EVENT_KINDS.index("push")
    patch = np.repeat(np.arange(len(firsts)), np.diff(arrays.event_start))
    frames = firsts["first"][patch] + events["tick"] - firsts["start"][patch]
    ends = firsts["first"] + firsts["stop"] - firsts["start"]
    high = stock.height[np.clip(frames, firsts["first"][patch], ends[patch])] > FALLING_HEIGHT
    strong = (events["kind"] == push) & (high | (arrays.mark["y"] > KNEE_HEIGHT))
    found = np.zeros(len(firsts), dtype=bool)
    found[patch[strong]] = True
    return found if found.mean() >= _STRONG_SHARE else np.ones(len(firsts), dtype=bool)


@lru_cache(maxsize=4)
def _lying(prepared: Prepared) -> tuple[Silhouettes, np.ndarray, np.ndarray]:
    """Shapes of fallen bodies; the one each patch ends with (N,), and each fall that begins one."""
    arrays, stock = prepared.patches.arrays, prepared.stock
    last = arrays.step[arrays.step_start[1::2] - 1]
    ends = last["first"] + last["stop"] - last["start"]
    falls = np.unique(arrays.step["action"][arrays.step_start[1:-1:2]])
    frames, which = np.unique(np.concatenate([ends, stock.stop[falls]]), return_inverse=True)
    shapes = silhouettes(stock.motions.body[frames].astype(np.float64), stock.motions.capsules["radius"][0])
    return shapes, which[: len(ends)], which[len(ends) :]
