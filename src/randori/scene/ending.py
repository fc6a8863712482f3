"""Whether a scene reached its animator's goals, and sentences about those it missed."""

from collections.abc import Iterator

import numpy as np

from randori.duel.goals import Checkpoint
from randori.graph.places import compose
from randori.scene.parallel_fights import ParallelFights
from randori.timeline.timeline import Timeline, Track

IN_TIME = 0.5  # seconds
NEAR = 0.5  # metres
_RUNNING_RADIUS = 2.5  # metres, for a character that runs past and cannot stop: a second behind
_LYING_HEIGHT = 0.5  # metres, the greatest height of the pelvis of a character that lies
_FIGHTING_RADIUS = 1.0  # metres, for a pair that fights its way along a formation


def pelvises(timeline: Timeline) -> np.ndarray:
    """(N, ticks + 1, 2) metres: the planned places of all characters."""
    found = np.zeros((len(timeline.tracks), timeline.ticks + 1, 2))
    for row, track in zip(found, timeline.tracks):
        for one in track.placed:
            ticks = np.arange(one.start, timeline.ticks + 1)
            frames = one.first + np.minimum(ticks, one.stop) - one.start
            place = np.array([one.placement.x, one.placement.z, one.placement.yaw])
            row[one.start :] = compose(
                track.library.placements[frames], np.broadcast_to(place, (len(ticks), 3))
            )[:, :2]
    return found


def lies(track: Track) -> bool:
    """Whether a character is on the floor at the end, or about to be."""
    last = track.placed[-1]
    tags = track.library.tags[last.action]
    height = float(track.library.frames.root_position[last.last, 1])
    return (tags.kind == "fall" or tags.technique == "lie") and height < _LYING_HEIGHT


def misses(crowd: ParallelFights, timeline: Timeline) -> list[tuple[str, Checkpoint, float]]:
    """For every checkpoint whose time has come: the character, the checkpoint, and its least distance in
    metres."""
    places, rows = pelvises(timeline), []
    for fight, members in zip(crowd.fights, crowd.members):
        for errand in fight.director.errands:
            who = [members[one] for one in errand.who]
            middle = places[who].mean(axis=0)
            for checkpoint in errand.checkpoints:
                if checkpoint.time is None or checkpoint.time + IN_TIME > timeline.seconds:
                    continue
                first, last = (round((checkpoint.time + late) * timeline.fps) for late in (-IN_TIME, IN_TIME))
                off = np.linalg.norm(middle[max(first, 0) : last + 1] - np.array(checkpoint.place), axis=-1)
                names = " and ".join(timeline.tracks[one].name for one in who)
                rows.append((names, checkpoint, float(off.min())))
    return rows


def unmet(crowd: ParallelFights, timeline: Timeline) -> list[str]:
    """The goals that were not met; empty if the scene ended as it should."""
    return [
        *_unreached(crowd, timeline),
        *_not_done(crowd, timeline),
        *_fallen(crowd, timeline),
        *_released(crowd, timeline),
    ]


def _unreached(crowd: ParallelFights, timeline: Timeline) -> Iterator[str]:
    for fight, members in zip(crowd.fights, crowd.members):
        for errand in fight.director.errands:
            checkpoint = errand.current
            waits = errand.arrived >= 0 and not errand.left
            lying = set(errand.who) <= fight.director.down
            if checkpoint is None or waits or lying or checkpoint.lead > 0.0:
                continue
            if checkpoint.time is not None and checkpoint.time > timeline.seconds:
                continue  # its time has not come: the scene ended earlier
            names = " and ".join(timeline.tracks[members[one]].name for one in errand.who)
            number = f"checkpoint {errand.passed + 1} of {len(errand.checkpoints)}"
            if errand.arrived < 0:
                yield f"{names} did not reach {number}"
    for names, checkpoint, off in misses(crowd, timeline):
        may_miss = checkpoint.lead > 0.0 or checkpoint.patience is not None
        if may_miss and off > (_RUNNING_RADIUS if checkpoint.lead > 0.0 else _FIGHTING_RADIUS):
            yield f"{names} passed the checkpoint of {checkpoint.time:.1f} s at {off:.1f} m"


def _released(crowd: ParallelFights, timeline: Timeline) -> Iterator[str]:
    for pin in (*crowd.released, *crowd.pins):
        who, at = timeline.tracks[pin.who].name, pin.tick / timeline.fps
        yield f"{who} could not do the pinned action at {at:.2f} s ({pin.words}); the pin was released"


def _not_done(crowd: ParallelFights, timeline: Timeline) -> Iterator[str]:
    for fight, members in zip(crowd.fights, crowd.members):
        for errand in fight.director.errands:
            for who, word in errand.left if errand.arrived >= 0 else ():
                yield f"{timeline.tracks[members[who]].name} was asked for {word!r} and did not do it"
            for who, _ in errand.missed:
                yield f"{timeline.tracks[members[who]].name} had to be knocked down, but did not fall"
        for car in fight.director.props.cars:
            if car.whom not in fight.director.down:
                yield f"the car did not run {timeline.tracks[members[car.whom]].name} over"


def _fallen(crowd: ParallelFights, timeline: Timeline) -> Iterator[str]:
    """Characters that lie at the end and should not. The opposite case is a missed request."""
    for fight, members in zip(crowd.fights, crowd.members):
        asked = fight.director.to_fall
        for number, who in enumerate(members):
            if asked and number not in asked and lies(timeline.tracks[who]):
                yield f"{timeline.tracks[who].name} lies at the end, but the scene does not ask for that"
            if number in fight.director.down and not lies(timeline.tracks[who]):
                yield f"{timeline.tracks[who].name} fell, but stands at the end"
