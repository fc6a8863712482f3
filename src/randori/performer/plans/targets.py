"""Walking to something and doing something to it: punch, kick a ball, crawl under, duck under, jump over."""

from collections.abc import Iterator
from dataclasses import replace
from math import hypot, radians

import numpy as np

from randori.performer.actor import OTHER, Actor
from randori.performer.bag import Bag
from randori.performer.crawl import CYCLE, Crawl
from randori.performer.crawl import SPEED as CRAWL_SPEED
from randori.performer.gait import Gait, gaits
from randori.performer.plans.locomotion import walk_turn
from randori.performer.script import techniques
from randori.performer.truth import Action
from randori.performer.walker import Walker

KNEES_SPREAD = 0.025  # metres that the hips sink more or less for a leap, and after it
KICK_SINK = 0.08  # metres that the hips are lower beside a ball: a supporting knee bends by 25 to 40 degrees
LOOK_SINK = 0.04  # metres of that which they are lower a step before
KICK_TEMPO = 0.9  # of the gait's time: a leg that cannot swing out of a run is swung faster
CROUCH = 0.4  # of the way from a walk to a duck, before a leap
LEAP_SINK = 0.06  # metres that the hips are lower than in a leap out of a run, until the foot takes off
# metres in the last columns of the steps before a leap, to make up for the blend of steps: the last columns
# of a leap are in the air
CROUCH_MADE_UP, STEP_MADE_UP = (-0.06, -0.16, -0.28), (0.0, 0.05, 0.2)
LEAP_SPEED = 2.7  # metres per second at its end: people fly 1.3 to 1.9 m in 0.5 to 0.65 s
LEAP_STAND = 0.27  # of the leap's step until the foot takes off
ROOM = 3.2  # metres from the middle within which the performer turns back by himself


def plan(actor: Actor, seconds: float) -> Iterator[float]:
    """Fill a take with every target in turn, in another order each round; yields how much is planned."""
    walker = Walker(actor)
    rng = actor.rng
    walker.stand(float(rng.uniform(0.9, 1.3)))
    targets = Bag(rng, TARGETS)
    while actor.time < seconds:
        walker.new_spell()
        speed = float(rng.choice((1.1, 1.35, 1.6)))
        if walker.speed < 0.05:
            home = walker.bearing(0.0, 0.0)
            if hypot(*walker.place) > ROOM and abs(home) > radians(70.0):
                walker.turn_in_place(home)
            walker.start("walk", speed)
        walker.go("walk", speed, int(rng.integers(2, 4)))
        targets.draw()(walker)
        walker.go("walk", speed, int(rng.integers(2, 4)))
        home = walker.bearing(*rng.uniform(-0.5 * ROOM, 0.5 * ROOM, 2))
        if hypot(*walker.place) > ROOM - 1.0 and abs(home) > radians(50.0):
            walk_turn(walker, home, speed)
        elif rng.random() < 0.25:
            walker.stop("walk", (0.6 * speed,))
            walker.stand(float(rng.gamma(2.0, 0.3)) + 0.3)
        yield min(actor.time / seconds, 1.0)


def punch(walker: Walker) -> None:
    """A long step, a straight with the rear hand, and on."""
    lead = walker.foot
    walker.actor.lead = lead
    action = walker.above(techniques("targets")["punch"])
    assert action.impact is not None
    walker.step("lunge", 0.55, gait=gaits()["lunge"], tempo=1.15, action=action, place=(0.06, 0.0), arms=0.2)
    walker.hold(max(action.impact + 0.18 - walker.time, 0.1), "lunge", action)
    walker.step("walk", 0.9, foot=OTHER[lead], action=action, arms=0.4)


def kick_ball(walker: Walker) -> None:
    """A step to look, sinking onto the foot beside the ball, and through it."""
    side = walker.foot
    look = gaits()["walk"].changed(pelvis_height=-LOOK_SINK)
    walker.step("walk", 1.2, gait=look, technique="walk", direction="front")
    action = Action(0, 0, "attack", "kick ball", "ball_kick", side, "lower torso", "front", f"{side}_foot")
    walker.begin(action)
    low = gaits()["ball_kick"].changed(pelvis_height=-KICK_SINK)
    plant = gaits()["walk"].changed(pelvis_height=-KICK_SINK)
    walker.step("walk", 1.2, gait=plant, action=action, place=(0.12, 0.0))
    tempo = KICK_TEMPO * float(np.exp(walker.rng.normal(0.0, 0.06)))
    beat = walker.step("ball kick", 1.2, gait=low, tempo=tempo, action=action, place=(0.16, 0.0))
    action.impact = beat.stop - beat.swing + 0.55 * beat.swing
    walker.step("walk", 1.1, action=action)


def duck_under(walker: Walker) -> None:
    """Down on bent legs, a few short steps, and up again."""
    action = Action(0, 0, "target", "duck under", "duck_walk", "both", "head", "front", "head")
    walker.begin(action)
    steps = int(walker.rng.integers(2, 5))
    low = float(walker.rng.normal(0.0, 0.02))
    gait = gaits()["duck_walk"].changed(pelvis_height=low)
    first = walker.time
    walker.step("duck", 1.1, gait=gaits()["walk_slow"].mixed(gait, 0.7), action=action)
    for _ in range(steps):
        walker.step("duck", 1.1, gait=gait, action=action)
    action.impact = 0.5 * (first + walker.time)
    walker.step("walk", 1.2, gait=gaits()["walk_slow"].mixed(gait, 0.45), action=action)


def jump_over(walker: Walker) -> None:
    """A step, down on bent knees, off one foot, over, and down on the other."""
    action = Action(
        0, 0, "target", "jump over", "leap", walker.foot, "lower torso", "front", f"{walker.foot}_foot"
    )
    walker.begin(action)
    walker.step("walk", 1.2, gait=_made_up(gaits()["walk"], STEP_MADE_UP), action=action)
    crouch = _made_up(gaits()["walk_slow"].mixed(gaits()["duck_walk"], CROUCH), CROUCH_MADE_UP)
    walker.step("walk", 1.2, gait=crouch, action=action, place=(0.14, 0.0))  # planted ahead, to go up from
    # a higher jump lasts longer
    higher = float(np.exp(walker.rng.normal(0.0, 0.035)))
    height = gaits()["leap"].rows["pelvis_height"]
    # and performers bend the knees as deep as they like, before and after
    before, after = walker.rng.normal(0.0, KNEES_SPREAD, 2)
    flight = np.where(height > 1.0, 1.0 + (height - 1.0) * higher**2, height - LEAP_SINK + before)
    leap = replace(gaits()["leap"], rows={**gaits()["leap"].rows, "pelvis_height": flight})
    beat = walker.step("leap", LEAP_SPEED, gait=leap, tempo=higher, action=action)
    takes_off = beat.start + LEAP_STAND * (beat.stop - beat.start)
    action.impact = 0.5 * (takes_off + beat.stop)
    landing = gaits()["touch_down"].changed(pelvis_height=float(after))
    walker.step("touch down", 1.7, gait=landing, action=action, lifts=takes_off)
    walker.step("walk", 1.5, gait=gaits()["walk"].mixed(landing, 0.2), action=action, lifts=walker.time)


def _made_up(gait: Gait, last: tuple[float, ...]) -> Gait:
    """A gait with other heights of the hips in its last columns, in metres more."""
    height = gait.rows["pelvis_height"].copy()
    height[-len(last) :] += last
    return replace(gait, rows={**gait.rows, "pelvis_height": height})


def crawl_under(walker: Walker) -> None:
    """Stop, down on one knee and the hands, a few cycles on four limbs, up on one foot, and on."""
    rng, actor = walker.rng, walker.actor
    walker.step("walk", 0.8, technique="walk", direction="front")
    action = Action(0, 0, "target", "crawl under", "crawl", "both", "head", "front", "head")
    walker.begin(action)
    walker.step("walk", 0.5, action=action, arms=0.5, place=(0.12, 0.0))
    first = walker.foot
    cycles = int(rng.integers(2, 4))
    uneven = tuple(float(slip) for slip in rng.normal(0.0, 0.015, 8))
    crawling = Crawl(walker.body, walker.time - 0.05, cycles, first, uneven)
    actor.layers.append(crawling.draw)
    action.impact = 0.5 * (crawling.down + crawling.up)
    # the way goes on below the crawl; half way through, the feet are put where they will stand after it
    for after, speed in ((0.5, 0.25), (1.0, 0.12), (1.5, 0.15)):
        walker.glide(crawling.start + after, speed, action)
    walker.glide(crawling.down, 0.3, action)
    half = crawling.down + 0.5 * cycles * CYCLE
    walker.glide(half - 0.3, CRAWL_SPEED, action)
    walker.glide(half, CRAWL_SPEED, action, foot=first, over=crawling.stop + 0.3)
    walker.glide(half + 0.3, CRAWL_SPEED, action, foot=OTHER[first], over=crawling.stop + 0.3)
    # it slows down before it gets up: a body that goes on leaves the knee behind that carries it
    for after, share in ((0.0, 0.8), (0.5, 0.25), (1.2, 0.15)):
        walker.glide(crawling.up + after, share * CRAWL_SPEED, action)
    walker.glide(crawling.stop, 0.0, action)
    walker.foot = first
    walker.step("walk", 0.8, action=action, arms=0.6)


TARGETS = (punch, kick_ball, duck_under, jump_over, crawl_under)
