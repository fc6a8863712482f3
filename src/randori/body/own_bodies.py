"""Bodies of our own beside the average one: fighters plan with their reach, height and volume."""

from dataclasses import replace
from functools import lru_cache

from randori.motion.skeleton import Skeleton
from randori.performer.proportions import Body

# the proportions, and the girth of the flesh against that of an average body of the same height
_BODIES = {
    "heavy": (Body("heavy", height=1.84, legs=0.98, shoulders=1.14, hips=1.2), 1.3),
    "small": (Body("small", height=1.42, legs=0.97, arms=0.98, shoulders=0.96), 0.95),
}
OWN_BODIES = tuple(_BODIES)


@lru_cache(maxsize=16)
def own_body(name: str, height: float | None = None, armed: bool = False) -> Skeleton:
    """The skeleton of one of OWN_BODIES, as tall as asked for (metres), with or without a sword."""
    body, girth = _BODIES[name]
    skeleton = replace((body.armed() if armed else body).skeleton, girth=girth)
    return skeleton if height is None else skeleton.scaled(height / skeleton.height)
