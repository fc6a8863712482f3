"""Sword work alone: cuts, thrusts and parries in combinations of one to four, steps, turns and guards."""

from collections.abc import Iterator, Mapping
from dataclasses import replace
from math import hypot
from typing import TypeVar

from randori.performer.actor import Actor
from randori.performer.proportions import WEAPON_HAND
from randori.performer.script import Technique, techniques

Choice = TypeVar("Choice")

VOLUME = 1.7  # metres from the middle that the actor drifts before coming back
CHAINED_WINDUP = 0.74  # of its time that a wind-up takes when the blade is already under way
CHAINED_CUT = 0.82  # of the time after which a technique may be followed by the next of a combination

# Footwork of a technique, and its odds: standing, or one of the steps of sword_footwork.toml
FEET: dict[str, dict[str, float]] = {
    "cut": {
        "": 2,
        "step_forward": 4,
        "pass_forward": 3,
        "step_back": 1.2,
        "step_to_lead": 0.6,
        "step_to_rear": 0.6,
    },
    "thrust": {"": 1.5, "step_forward": 4, "pass_forward": 2},
    "parry": {"": 3, "step_back": 3, "step_to_lead": 0.8, "step_to_rear": 0.8, "pass_back": 1.5},
}
COMBINATIONS = {
    ("cut_down",): 4,
    ("cut_from_rear",): 3,
    ("cut_from_lead",): 3,
    ("level_cut_from_rear",): 2.5,
    ("level_cut_from_lead",): 3.5,
    ("rising_cut_from_rear",): 1.5,
    ("rising_cut_from_lead",): 1.5,
    ("thrust_high",): 2,
    ("thrust_low",): 2,
    ("lunge",): 7,
    ("cut_down", "cut_down"): 2,
    ("cut_from_rear", "cut_from_lead"): 3,
    ("cut_from_lead", "cut_from_rear"): 2,
    ("cut_from_rear", "rising_cut_from_lead"): 3,
    ("cut_from_lead", "rising_cut_from_rear"): 2,
    ("thrust_high", "cut_down"): 2,
    ("thrust_low", "level_cut_from_rear"): 1.5,
    ("cut_down", "thrust_low"): 2,
    ("level_cut_from_rear", "returning_cut_from_lead"): 2.5,
    ("level_cut_from_lead", "returning_cut_from_rear"): 2,
    ("parry_high", "cut_down"): 3,
    ("parry_lead", "cut_from_rear"): 2,
    ("parry_rear", "cut_from_lead"): 2,
    ("parry_low", "thrust_high"): 2,
    ("parry_high", "level_cut_from_rear"): 1.5,
    ("parry_lead", "thrust_low"): 1.5,
    ("parry_rear", "parry_lead", "cut_down"): 2,
    ("parry_low", "rising_cut_from_lead", "cut_down"): 1,
    ("cut_from_rear", "cut_from_lead", "cut_down"): 2,
    ("cut_from_rear", "rising_cut_from_lead", "cut_from_lead"): 1.5,
    ("cut_down", "parry_lead", "cut_from_rear", "thrust_high"): 1,
    ("cut_from_rear", "cut_from_lead", "level_cut_from_rear", "thrust_low"): 1,
}
DEFENCES = {"parry_high": 2, "parry_lead": 2, "parry_rear": 2, "parry_low": 2}
# a guard, and what comes out of it more often than not
GUARDS = {
    "high_guard": ("cut_down", "cut_down", "thrust_high"),
    "shoulder_guard": ("cut_from_rear", "level_cut_from_rear"),
    "low_guard": ("rising_cut_from_rear", "thrust_high", "parry_low"),
}
# a few depend on which foot is in front: that of the hand next to the guard, or the other
WITH_THE_WEAPON_FOOT = {"parry_high": "parry_high_rear"}  # arms that do not cross
WITH_THE_OTHER_FOOT = {"lunge": "thrust_high"}
FEINTS = ("probe", "threaten")  # actions of a waiting blade
STEPS = ("step_forward", "step_back", "step_to_lead", "step_to_rear", "pass_forward", "pass_back")
TURNS = ("turn_to_lead", "turn_to_rear")


def plan(actor: Actor, seconds: float) -> Iterator[float]:
    """Fill a take; yields how much of it is planned."""
    footwork = techniques("sword_footwork")
    actor.stand(0.9)
    while actor.time < seconds - 2.0:
        what = actor.rng.choice(5, p=(0.49, 0.12, 0.12, 0.18, 0.09))
        if what == 0:
            _combination(actor, _choose(actor, COMBINATIONS))
        elif what == 1:
            _combination(actor, (_choose(actor, DEFENCES),))
        elif what == 2:
            _from_guard(actor)
        elif what == 3:
            for _ in range(int(actor.rng.integers(1, 4))):
                actor.perform(footwork[_way_home(actor, STEPS)])
        else:
            turn = float(actor.rng.choice((35.0, 70.0, 70.0, 110.0))) / 70.0
            technique = footwork[str(actor.rng.choice(TURNS))]
            going = technique.travel
            actor.perform(technique, travel=(0.0, 0.0, turn * going[2]), tempo=0.85 + 0.15 * turn)
        if actor.rng.random() < 0.6:
            actor.stand(float(actor.rng.gamma(2.0, 0.28)) * actor.manner.pause)
            if actor.rng.random() < 0.3:
                actor.perform(techniques("sword")[str(actor.rng.choice(FEINTS))])
        yield min(actor.time / seconds, 1.0)


def _combination(actor: Actor, names: tuple[str, ...]) -> None:
    """Techniques one out of the other; the blade does not come to rest between them."""
    book = techniques("sword")
    began = actor.lead
    for number, name in enumerate(names):
        if actor.lead != began:
            # a passing step has changed the foot in front, and the blade is still where it was
            name = _other_side(name)
        instead = WITH_THE_WEAPON_FOOT if actor.lead == WEAPON_HAND else WITH_THE_OTHER_FOOT
        name = instead.get(name, name)
        technique = book[name]
        if name != "lunge":  # it has its own
            technique = _with_steps(actor, technique)
        if number > 0 and names[number - 1] != "parry_high":  # out of a roof it is a long way round
            technique = _chained(technique)
        if number < len(names) - 1:
            technique = replace(technique, cut=_earlier_cut(technique))
        actor.perform(technique)


def _other_side(name: str) -> str:
    """The technique that a script calls the same with lead and rear changed."""
    swapped = {"lead": "rear", "rear": "lead"}
    changed = "_".join(swapped.get(word, word) for word in name.split("_"))
    return changed if changed in techniques("sword") else name


def _from_guard(actor: Actor) -> None:
    """Wait in another guard, and strike out of it or come back."""
    book = techniques("sword")
    name = str(actor.rng.choice(list(GUARDS)))
    actor.perform(_held(book[name], float(actor.rng.gamma(3.0, 0.35))))
    if actor.rng.random() < 0.75:
        _combination(actor, (str(actor.rng.choice(GUARDS[name])),))


def _with_steps(actor: Actor, technique: Technique) -> Technique:
    """The technique on moving feet: the first foot lands when the blade does."""
    feet = dict(FEET[technique.technique])
    footwork = techniques("sword_footwork")
    for name in feet:
        if name:
            feet[name] *= _nearness(actor, footwork[name])
    chosen = _choose(actor, feet)
    if not chosen:
        return technique
    step = footwork[chosen]
    late = technique.impact - step.steps[0].stop
    steps = tuple(replace(s, start=s.start + late, stop=s.stop + late) for s in step.steps)
    moves = tuple(replace(m, start=m.start + late, stop=m.stop + late) for m in step.moves)
    first, last, skew = step.travel_time
    return replace(
        technique,
        steps=steps,
        # the blade has its own way in a technique; of the step only the body is taken
        moves=technique.moves + tuple(m for m in moves if not m.channel.startswith(("hilt", "blade"))),
        travel=step.travel,
        travel_time=(first + late, last + late, skew),
        cut=max(technique.cut, step.cut + late),
        settled=max(technique.settled, step.settled + late),
        switches=step.switches,
    )


def _chained(technique: Technique) -> Technique:
    """The technique with a shorter wind-up, because the blade is already moving."""

    def sooner(time: float) -> float:
        return CHAINED_WINDUP * time if time < 0.0 else time

    return replace(
        technique,
        moves=tuple(replace(m, start=sooner(m.start), stop=sooner(m.stop)) for m in technique.moves),
        blade=tuple(replace(m, start=sooner(m.start), stop=sooner(m.stop)) for m in technique.blade),
    )


def _earlier_cut(technique: Technique) -> float:
    """The earliest start of the next technique: after the impact, and not while a foot is in the air."""
    landed = max((step.stop for step in technique.steps), default=0.0)
    return max(CHAINED_CUT * technique.cut, technique.impact + 0.08, landed - 0.02)


def _held(technique: Technique, seconds: float) -> Technique:
    """A guard that is kept for a while: everything that leads out of it comes later."""

    def late(start: float) -> float:
        return seconds if start >= technique.cut - 1e-9 else 0.0

    return replace(
        technique,
        moves=tuple(
            replace(m, start=m.start + late(m.start), stop=m.stop + late(m.start)) for m in technique.moves
        ),
        blade=tuple(
            replace(m, start=m.start + late(m.start), stop=m.stop + late(m.start)) for m in technique.blade
        ),
        cut=technique.cut + seconds,
        settled=technique.settled + seconds,
    )


def _choose(actor: Actor, weights: Mapping[Choice, float]) -> Choice:
    names = list(weights)
    share = [weights[name] for name in names]
    return names[int(actor.rng.choice(len(names), p=[s / sum(share) for s in share]))]


def _nearness(actor: Actor, step: Technique) -> float:
    """The weight of a step: larger if it leads back to the middle of the floor."""
    there = actor.place.moved(step.travel[0], actor.to_lead * step.travel[1], 0.0)
    gain = hypot(actor.place.x, actor.place.z) - hypot(there.x, there.z)
    return 0.12 if hypot(there.x, there.z) > VOLUME else max(1.0 + 2.5 * gain, 0.1)


def _way_home(actor: Actor, names: tuple[str, ...]) -> str:
    footwork = techniques("sword_footwork")
    return _choose(actor, {name: _nearness(actor, footwork[name]) for name in names})
