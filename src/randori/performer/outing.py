"""A walk or a run in between: begins and ends standing, and what comes after it starts from there."""

from dataclasses import replace

import numpy as np

from randori.performer.actor import Actor, Place
from randori.performer.channels import INDEX
from randori.performer.footfalls import Walk
from randori.performer.walker import Walker

SHORTEST = 0.15  # seconds of standing before the first step


def set_out(actor: Actor) -> Walker:
    """A walker for an actor that stands; until its first step nothing changes."""
    walker = Walker(actor)
    walker.stand(SHORTEST)
    walker.walk.rest = walker.walk.rest + _change(walker.walk, 0.0)
    return walker


def arrive(actor: Actor, walker: Walker) -> None:
    """The walk is over: from now on the actor plans from where it ends."""
    carried = _change(walker.walk, walker.walk.beats[-1].stop + 1.0)
    actor.tracks.carried = actor.tracks.carried + carried
    x, z, heading = (actor.tracks.final(name) for name in ("root_x", "root_z", "heading"))
    actor.place = Place(x, z, heading)


def drawn_from(walk: Walk, values: np.ndarray, rate: float, start: float) -> None:
    """Put a walk into channels (F, C) whose first frame is at a time (seconds) of the take, in place."""
    first = walk.beats[0].start
    frames = max(round((start - first) * rate), 0)
    beats = [
        replace(
            beat,
            start=beat.start - start + frames / rate,
            stop=beat.stop - start + frames / rate,
            over=None if beat.over is None else beat.over - start + frames / rate,
            action=None,
        )
        for beat in walk.beats
    ]
    longer = np.zeros((frames + len(values), values.shape[1]))
    replace(walk, beats=beats, sinks=False).draw(longer, rate)
    values += longer[frames:]


def _change(walk: Walk, time: float) -> np.ndarray:
    """(C,) what a walk adds to the channels at a time, in seconds."""
    values = np.zeros((2, len(INDEX)))
    beats = [replace(beat, action=None) for beat in walk.beats]
    replace(walk, beats=beats, sinks=False).draw(values, 1.0 / max(time, 1e-3))
    return values[1]
