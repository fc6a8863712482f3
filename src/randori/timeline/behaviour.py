"""Behaviour of fighters: seeing, defending, moving, taking the initiative and giving way to blows.

Every figure follows from the timeline and the clips that it became. Only a single fight is judged: where no
character fights, or where several fights run side by side (a formation), all figures are zero.
"""

from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby

import numpy as np

from randori.body.capsules import CAPSULES
from randori.capture.actions import Tags
from randori.graph.joining import Walk
from randori.motion import rotations as rot
from randori.motion.clip import Clip
from randori.motion.feet import foot_points
from randori.timeline.impulse import GIVING_WAY, moved_along, way_of_blow
from randori.timeline.limits import LIMITS
from randori.timeline.timeline import CHOSEN, FORCED, Event, Fighting, Placed, Timeline, shown

AWAY = np.radians(60.0)  # past an opponent, over the floor: beyond it a head looks away
SMOOTHING = 0.1  # seconds over which speeds are measured
STILL = 0.05  # m/s: a foot is still if its ankle and its ball are both slower
AGAINST = 0.01  # metres towards the blow that count as moving against it
_ON_FEET = 0.75  # of the usual height of a pelvis: a lower one belongs to a character that is not on its feet
_DOWN_HEIGHT = 0.5  # of that height: a lower one belongs to a character that lies
_LYING_TECHNIQUES = ("lie", "roll over")  # techniques
_STEPPING_WORDS = ("step", "turn", "switch")  # first words of techniques that move the feet
_LONGEST_PAUSE, _LONGEST_PAUSE_AFAR = 4.0, 6.0  # seconds, of fighters and of those that keep far away
_OUTBOXING_DISTANCE = 2.0  # metres: fighters that keep so far away (outboxers) may wait longer
_MOST_TECHNIQUES, _ATTACKS_PER_TECHNIQUE = 6.0, 4.0  # that a varied fight has: at least so many


@dataclass(frozen=True, kw_only=True)
class Behaviour:
    """Figures of the behaviour in a take: seconds, metres, m/s; shares from 0 to 1."""

    fighters: int = 0  # that are judged; 0 where there is no single fight
    # hits
    hits_judged: int = 0
    unseeing_hits: float = 0.0  # share that strikes a fighter whose head looks away from the attacker
    stunned_hits: float = 0.0  # share that strikes a fighter in a forced reaction
    unanswered_hits: int = 0  # most hits in a row by one side without a hit by the other
    idle_hits: int = 0  # the same, without even an attack that the other side begins
    against_blow: float = 0.0  # share after which the struck body moves against the blow
    # attacks
    attacks_judged: int = 0  # with strikes, against an opponent on its feet
    answered: float = 0.0  # share during which an opponent begins a defence of its own choice
    sidestepped: float = 0.0  # share that misses while an opponent begins a step of its own choice
    longest_pause: float = 0.0  # seconds in which no attack is under way
    pause_allowed: float = _LONGEST_PAUSE
    techniques: int = 0  # different ones, left and right as one
    sided_techniques: int = 0  # different ones, left and right as two
    techniques_expected: float = 0.0  # at least, for so many attacks
    attacks_by_technique: dict[str, int] = field(default_factory=dict)
    # bodies
    looks_away: float = 0.0  # share of its time on its feet that the worst fighter looks away
    feet_still: float = 0.0  # share of its time on its feet in which both feet of the stillest fighter rest
    fastest_rise: float = 0.0  # m/s, of a pelvis outside jumps
    # consequences
    knock_downs: int = 0  # falls that a hit causes
    winner: str = ""  # names of the fighters that stand while all their opponents are down at the end
    requested_falls: int = 0  # fighters that the scene asks to fall
    idle_victim: float = 0.0  # share of the time until its fall in which the idlest of them does nothing

    def behaviour_sentences(self) -> Iterator[tuple[bool, str]]:
        """A sentence per figure, and whether it keeps its limit."""
        if not self.fighters:
            return
        if self.hits_judged:
            yield (
                LIMITS["unseeing"].is_kept(self),
                f"unseeing: {100 * self.unseeing_hits:.0f} % of {self.hits_judged} hits strike a fighter "
                "that looks more than 60° past the attacker",
            )
            yield (
                LIMITS["stunned"].is_kept(self),
                f"stunned: {100 * self.stunned_hits:.0f} % of the hits strike a fighter in a forced reaction",
            )
            yield (
                LIMITS["unanswered"].is_kept(self),
                f"unanswered: {self.unanswered_hits} hits in a row without a hit in return, "
                f"{self.idle_hits} without an attack in return",
            )
            yield (
                LIMITS["pushed"].is_kept(self),
                f"pushed: after {100 * self.against_blow:.0f} % of the hits the body moves against the blow",
            )
        if self.attacks_judged:
            yield (
                LIMITS["defended"].is_kept(self),
                f"defended: {100 * self.answered:.0f} % of {self.attacks_judged} attacks are answered by a "
                f"chosen defence, {100 * self.sidestepped:.0f} % miss a fighter that steps aside",
            )
            listed = ", ".join(f"{count} {name}" for name, count in self.attacks_by_technique.items())
            yield (
                LIMITS["techniques"].is_kept(self),
                f"techniques: {self.techniques} different ones "
                f"({self.sided_techniques} with their sides): {listed}",
            )
        yield (
            LIMITS["pauses"].is_kept(self),
            f"pauses: {self.longest_pause:.1f} s without an attack at most",
        )
        yield (
            LIMITS["looking"].is_kept(self),
            f"looking: a fighter looks more than 60° past its opponent {100 * self.looks_away:.0f} % of its "
            "time on its feet",
        )
        yield (
            LIMITS["still"].is_kept(self),
            f"still: both feet of a fighter rest {100 * self.feet_still:.0f} % of its time on its feet",
        )
        yield (
            LIMITS["rise"].is_kept(self),
            f"rise: a pelvis rises at {self.fastest_rise:.1f} m/s at most",
        )
        if self.requested_falls:
            yield (
                LIMITS["idle"].is_kept(self),
                f"idle: a fighter that has to fall does nothing {100 * self.idle_victim:.0f} % of the time "
                "until it falls",
            )
        if self.knock_downs or self.winner:
            falls = "knock-down" if self.knock_downs == 1 else "knock-downs"
            yield True, f"outcome: {self.knock_downs} {falls}, {self.winner or 'nobody'} wins"


@dataclass(frozen=True)
class _Bout:
    """One fight, ready to be measured. Arrays have a row per tick, ticks + 1 of them."""

    timeline: Timeline
    clips: tuple[Clip, ...]
    roles: dict[int, Fighting]  # by number of the character
    placed: tuple[tuple[Placed, ...], ...]  # of every character, as it is shown
    on_feet: tuple[np.ndarray, ...]  # (T,) bool, of every character
    down: tuple[np.ndarray, ...]  # (T,) bool: falls, lies or gets up
    over: int  # tick from which on all fighters of one side stay down

    def tags(self, who: int, one: Placed) -> Tags:
        library = self.timeline.tracks[who].library
        return library.tags[one.action] if one.action >= 0 else Tags("", "")

    def doing(self, who: int, tick: int) -> Placed:
        """The action of a character in a tick."""
        starts = [one.start for one in self.placed[who]]
        return self.placed[who][max(int(np.searchsorted(starts, tick, side="right")) - 1, 0)]

    def taking_part(self, who: int) -> np.ndarray:
        """(T,) bool: on its feet, in the fight, before it is over."""
        ticks = np.arange(self.timeline.ticks + 1)
        return self.on_feet[who] & (ticks >= self.roles[who].joins) & (ticks < self.over)


def measure_behaviour(timeline: Timeline, walks: Sequence[Walk], capsules: Sequence[np.ndarray]) -> Behaviour:
    """The figures of the one fight of a timeline.

    `capsules` are those of each body in each tick: (T, 16, 2, 3).
    """
    roles = {who: one.fighting for who, one in enumerate(timeline.tracks) if one.fighting is not None}
    if len(_sides(roles)) != 2:
        return Behaviour()
    bout = _prepare(timeline, walks, roles)
    hits = [event for event in timeline.events if event.kind == "hit" and event.whom in roles and event.tick]
    attacks = [
        (who, one)
        for who in roles
        for one in bout.placed[who]
        if bout.tags(who, one).kind == "attack"
    ]  # fmt: skip
    met = [(who, one) for who, one in attacks if _is_met(bout, who, one)]
    by_name = Counter(bout.tags(who, one).name for who, one in attacks)
    techniques = {bout.tags(who, one).technique for who, one in attacks}
    victims = [who for who, role in roles.items() if role.has_to_fall]
    return Behaviour(
        fighters=len(roles),
        hits_judged=len(hits),
        unseeing_hits=_share(_is_unseen(bout, event) for event in hits),
        stunned_hits=_share(bout.doing(event.whom, event.tick - 1).cause == FORCED for event in hits),
        unanswered_hits=_longest_run(bout, hits, []),
        idle_hits=_longest_run(bout, hits, attacks),
        against_blow=_share(_moves_against(bout, event, capsules[event.who]) for event in hits),
        attacks_judged=len(met),
        answered=_share(_is_answered(bout, who, one) for who, one in met),
        sidestepped=_share(_is_sidestepped(bout, who, one) for who, one in met),
        longest_pause=_longest_pause(bout, attacks),
        pause_allowed=_LONGEST_PAUSE_AFAR
        if all(role.distance >= _OUTBOXING_DISTANCE for role in roles.values())
        else _LONGEST_PAUSE,
        techniques=len(techniques),
        sided_techniques=len(by_name),
        techniques_expected=min(
            _MOST_TECHNIQUES, len(attacks) / _ATTACKS_PER_TECHNIQUE, float(_known_techniques(timeline, roles))
        ),
        attacks_by_technique=dict(by_name.most_common()),
        looks_away=max(_share(_looks_away(bout, who)[bout.taking_part(who)]) for who in roles),
        feet_still=max(_share(_feet_still(bout.clips[who])[bout.taking_part(who)]) for who in roles),
        fastest_rise=max(_fastest_rise(bout, who) for who in roles),
        knock_downs=sum(_is_knock_down(bout, who, one) for who in roles for one in bout.placed[who]),
        winner=_winner(bout),
        requested_falls=len(victims),
        idle_victim=max((_idle_share(bout, who) for who in victims), default=0.0),
    )


def _share(flags: Iterator[bool] | np.ndarray) -> float:
    values = list(flags)
    return float(np.mean(values)) if values else 0.0


# -- the fighters, and the length of the fight -----------------------------------------------------------


def _sides(roles: dict[int, Fighting]) -> list[list[int]]:
    """Fighters that have the same opponents are on one side; a formation has two sides per pair."""
    by_opponents = sorted(roles, key=lambda who: roles[who].opponents)
    return [list(side) for _, side in groupby(by_opponents, key=lambda who: roles[who].opponents)]


def _prepare(timeline: Timeline, walks: Sequence[Walk], roles: dict[int, Fighting]) -> _Bout:
    placed = tuple(tuple(shown(track.placed, timeline.ticks)) for track in timeline.tracks)
    on_feet, down = [], []
    for track, walk, actions in zip(timeline.tracks, walks, placed):
        library, clip = track.library, walk.clip
        usual = float(np.median(library.frames.root_position[:, 1]))
        height = clip.root_position[: timeline.ticks + 1, 1]
        low = np.zeros(timeline.ticks + 1, dtype=bool)
        for one in actions:
            tags = library.tags[one.action] if one.action >= 0 else Tags("", "")
            if tags.kind in ("fall", "rise") or tags.technique in _LYING_TECHNIQUES:
                low[one.start : one.stop if one.stop < timeline.ticks else None] = True
        on_feet.append(~low & (height > _ON_FEET * usual))
        down.append(low | (height < _DOWN_HEIGHT * usual))
    over = timeline.ticks + 1
    for side in _sides(roles):
        # the tick after the last one in which each of them is up
        ends = [int(np.flatnonzero(~down[who])[-1]) + 1 if not down[who].all() else 0 for who in side]
        over = min(over, max(ends))
    clips = tuple(walk.clip for walk in walks)
    return _Bout(timeline, clips, roles, placed, tuple(on_feet), tuple(down), over)


def _winner(bout: _Bout) -> str:
    """The fighters that stand at the end, if all their opponents are down."""
    standing = [
        bout.timeline.tracks[who].name
        for who, role in bout.roles.items()
        if not bout.down[who][-1] and all(bout.down[other][-1] for other in role.opponents)
    ]
    return " and ".join(standing)


# -- seeing ----------------------------------------------------------------------------------------------


def look_past(clip: Clip, target: np.ndarray) -> np.ndarray:
    """(F,) radians over the floor between where a head looks and a point (F, 3), seen from the head."""
    way = target - clip.positions[:, clip.skeleton.joint("head")]
    return np.asarray(np.abs(rot.wrap_angle(np.arctan2(way[:, 0], way[:, 2]) - clip.heading("head"))))


def nearest_opponents(clips: Sequence[Clip], who: int, opponents: Sequence[int]) -> np.ndarray:
    """(F,) int64 the opponent whose pelvis is nearest over the floor, in every frame."""
    here = clips[who].root_position[:, [0, 2]]
    apart = [np.linalg.norm(clips[other].root_position[:, [0, 2]] - here, axis=-1) for other in opponents]
    return np.asarray(np.array(opponents)[np.argmin(apart, axis=0)])


def _looks_away(bout: _Bout, who: int) -> np.ndarray:
    """(T,) bool: the head looks past the nearest opponent."""
    opponents = bout.roles[who].opponents
    nearest = nearest_opponents(bout.clips, who, opponents)
    past = np.stack([look_past(bout.clips[who], bout.clips[other].root_position) for other in opponents])
    rows = np.searchsorted(np.array(opponents), nearest)
    return np.asarray(past[rows, np.arange(len(nearest))] > AWAY)


def _is_unseen(bout: _Bout, event: Event) -> bool:
    """Whether the struck head looks past the attacker's pelvis in the tick before the hit."""
    clip = bout.clips[event.whom]
    past = look_past(clip, bout.clips[event.who].root_position)
    return bool(past[event.tick - 1] > AWAY)


# -- hits ------------------------------------------------------------------------------------------------


def _longest_run(bout: _Bout, hits: Sequence[Event], attacks: Sequence[tuple[int, Placed]]) -> int:
    """The most hits by one side before the other hits, or begins one of the attacks."""
    longest = 0
    for side in _sides(bout.roles):
        # an answer of the same tick comes first
        moments = [(event.tick, int(event.who in side)) for event in hits]
        moments += [(one.start, 0) for who, one in attacks if who not in side]
        run = 0
        for _, own in sorted(moments):
            run = run + 1 if own else 0
            longest = max(longest, run)
    return longest


def _moves_against(bout: _Bout, event: Event, capsules: np.ndarray) -> bool:
    """Whether the middle of pelvis and head moves, over the floor, against what strikes."""
    fps, clip = bout.timeline.fps, bout.clips[event.whom]
    later = event.tick + round(GIVING_WAY * fps)
    if later >= len(clip):
        return False
    way = way_of_blow(capsules[event.tick - 1 : event.tick + 1, CAPSULES.index(event.what)], fps)
    return moved_along(clip, event.tick, later, way) < -AGAINST


def _is_knock_down(bout: _Bout, who: int, one: Placed) -> bool:
    """Whether an action is a fall that a hit causes."""
    if bout.tags(who, one).kind != "fall" or one.cause != FORCED:
        return False
    return any(
        event.kind == "hit" and event.whom == who and event.tick == one.start
        for event in bout.timeline.events
    )


# -- attacks ---------------------------------------------------------------------------------------------


def _last_strike(bout: _Bout, who: int, one: Placed) -> int:
    """The tick in which the last strike of an attack ends, or the attack itself; -1 without a strike."""
    library = bout.timeline.tracks[who].library
    first, stop = library.actions.strike_start[one.action : one.action + 2]
    if first == stop:
        return -1
    return min(one.start + int(library.strikes.stop[first:stop].max()) - one.first, one.stop)


def _is_met(bout: _Bout, who: int, one: Placed) -> bool:
    """Whether an attack has strikes and an opponent on its feet."""
    standing = any(bout.on_feet[other][one.start] for other in bout.roles[who].opponents)
    return standing and _last_strike(bout, who, one) >= 0


def _begun_during(bout: _Bout, who: int, attack: Placed) -> Iterator[Tags]:
    """The actions that opponents choose to begin during an attack, until its last strike."""
    last = _last_strike(bout, who, attack)
    for other in bout.roles[who].opponents:
        for one in bout.placed[other]:
            if one.cause == CHOSEN and attack.start <= one.start <= last:
                yield bout.tags(other, one)


def _is_answered(bout: _Bout, who: int, attack: Placed) -> bool:
    return any(tags.kind == "defence" for tags in _begun_during(bout, who, attack))


def _is_sidestepped(bout: _Bout, who: int, attack: Placed) -> bool:
    """Whether an attack misses while an opponent begins a step."""
    meets = any(
        event.kind in ("hit", "block") and event.who == who and attack.start < event.tick <= attack.stop
        for event in bout.timeline.events
    )
    steps = (tags.technique.startswith("step") for tags in _begun_during(bout, who, attack))
    return not meets and any(steps)


def _longest_pause(bout: _Bout, attacks: Sequence[tuple[int, Placed]]) -> float:
    """Seconds without an attack under way, from the start to the end of the take or of the fight.

    A fighter that is down is not struck, so that time does not count.
    """
    busy = np.any([bout.down[who] for who in bout.roles], axis=0)
    for _, one in attacks:
        busy[one.start : one.stop] = True
    quiet = ~busy[: min(bout.over, bout.timeline.ticks)]
    longest = max((sum(run) for is_quiet, run in groupby(quiet) if is_quiet), default=0)
    return longest / bout.timeline.fps


def _known_techniques(timeline: Timeline, roles: dict[int, Fighting]) -> int:
    """Different techniques of attacks among the motions of the fighters."""
    return len(
        {
            tags.technique
            for who in roles
            for tags in timeline.tracks[who].library.tags
            if tags.kind == "attack"
        }
    )


# -- bodies ----------------------------------------------------------------------------------------------


def velocity(points: np.ndarray, fps: float) -> np.ndarray:
    """Points (F, …) per second, each over the `SMOOTHING` seconds about its frame."""
    half = max(round(0.5 * SMOOTHING * fps), 1)
    frames = np.arange(len(points))
    before, after = np.maximum(frames - half, 0), np.minimum(frames + half, len(points) - 1)
    seconds = np.maximum(after - before, 1).reshape(-1, *(1,) * (points.ndim - 1)) / fps
    return np.asarray((points[after] - points[before]) / seconds)


def _feet_still(clip: Clip) -> np.ndarray:
    """(F,) bool: ankles and balls of both feet rest."""
    speed = np.linalg.norm(velocity(foot_points(clip), clip.fps), axis=-1)  # (F, 2, 2)
    return np.asarray((speed < STILL).all(axis=(1, 2)))


def _fastest_rise(bout: _Bout, who: int) -> float:
    clip = bout.clips[who]
    rising = velocity(clip.root_position[:, 1], clip.fps)
    for one in bout.placed[who]:
        if "jump" in bout.tags(who, one).technique:
            rising[one.start : one.stop + 1] = 0.0
    return float(rising.max(initial=0.0))


def _idle_share(bout: _Bout, who: int) -> float:
    """Share of the time until its first fall in which a fighter neither fights, moves nor reacts."""
    falls = [one.start for one in bout.placed[who] if bout.tags(who, one).kind == "fall"]
    until = falls[0] if falls else bout.timeline.ticks
    idle = sum(
        min(one.stop, until) - one.start
        for one in bout.placed[who]
        if one.start < until and _is_idle(bout.tags(who, one), one.cause)
    )
    return idle / max(until, 1)


def _is_idle(tags: Tags, cause: str) -> bool:
    fights = tags.kind in ("attack", "defence", "locomotion") or tags.technique == "feint"
    return cause != FORCED and not fights and not tags.technique.startswith(_STEPPING_WORDS)
