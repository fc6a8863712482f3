"""People who get on over the floor on hands and knees, or on the belly."""

import numpy as np

from randori.capture.actions import Tags
from randori.capture.events import Event, Timing
from randori.capture.signals import RATE, Signals, runs, smoothed

_HANDS = 0.45  # of the leg, above the floor: both wrists, of a hand that rests on the floor or is moved on
_HIPS = 0.65  # of the leg: a pelvis over knees has 0.5, on the belly 0.1
_SPELL = 0.3  # seconds, standard deviation: a hand leaves the floor for a moment
_SHORTEST_CRAWL = 1.0  # seconds
_WAY = 1.2  # metres: a person who gets up or rolls over stays within a metre


def crawls(signals: Signals) -> list[Event]:
    """The stretches in which a person crawls some way."""
    places = signals.places
    hands = np.maximum(places["left_hand"][:, 1], places["right_hand"][:, 1]) - signals.floor
    hips = places["pelvis"][:, 1] - signals.floor
    down = (smoothed(hands, _SPELL) < _HANDS * signals.leg) & (smoothed(hips, _SPELL) < _HIPS * signals.leg)
    found = []
    for first, last in runs(down):
        way = places["pelvis"][first:last][:, [0, 2]]
        gone = np.linalg.norm(way - way[0], axis=-1)
        if last - first < _SHORTEST_CRAWL * RATE or gone.max() < _WAY:
            continue
        ahead = places["chest"][first:last] - places["pelvis"][first:last]
        forward = float(np.einsum("ij,ij->", np.diff(way, axis=0), ahead[1:][:, [0, 2]]))
        tags = Tags("target", "crawl", "", "", "front" if forward >= 0.0 else "back")
        found.append(Event(first, last, Timing(0.0, 0.0, (last - first) / RATE), tags, 0.8))
    return found
