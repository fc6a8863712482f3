"""The feet of prepared bodies: each is a small state machine, and legs are bent to where its foot has to be.

A foot is SWINGING while it is in the air or rolls over its heel, STANDING while it stays where it landed, and
STEPPING while it makes a step of its own to where it belongs:

    SWINGING → STANDING   its ball comes down
    SWINGING → STEPPING   it hangs in the air although the body is almost ready
    STANDING → SWINGING   its contact is over
    STANDING → STEPPING   it is too far from where it belongs
    STEPPING → STANDING   the step is over
    STEPPING → SWINGING   its contact is over
"""

import math

import numpy as np

from randori.kernels.angles import wrap_angle
from randori.kernels.compile import kernel
from randori.kernels.easing import fade_offset, smoother_step, spring_towards
from randori.kernels.limbs import LEG_REACH, soft_limit, solve_leg
from randori.kernels.prepared_body import STANDING, STEPPING, SWINGING
from randori.kernels.rotation import (
    about_vertical,
    compose,
    inverse,
    rotation_at,
    set_rotation,
    slerp,
    turn,
)
from randori.kernels.vectors import minus, row_of

_LETTING_GO = 11.0  # per second: how fast a foot in the air gives up the place it was held at,
_CLEAR_HEIGHT = 0.035  # of the leg's length: and from which height on it does so freely
_LEAST_SPEED_SHARE = 0.25  # of that speed, for a foot that is still on the floor
_SETTLING_RATE = 24.0  # per second: how fast a foot takes up its height over the floor
_STEP_HEIGHT = 0.4  # of the way that a foot makes up for, so high it is lifted
_TURN_LIFT = 0.15  # metres per radian: a turn counts as so much of a way
_LIFTING_SECONDS = 0.08  # seconds after it leaves the floor until it is lifted as much as that
_ROLL = 0.018  # of the leg's length: a ball that is higher than this above its level is not down,
_STOPPING_RATE = 30.0  # per second: how fast a foot that rolls over its heel stops moving to where it belongs
_LAID_DEPTH = 0.02  # metres that an ankle is lower than on a standing foot, of a foot that lies on its instep
_LANDING = 0.12  # seconds at most in which a foot that lands comes to rest,
_GLIDE = 0.01  # metres, and the way at most
_STEP = 0.1  # of the leg's length that a foot may be from where it belongs before it makes a step,
_TWIST = 0.35  # and radians that it may be turned away from how it belongs
_STEP_TIME = 0.3  # seconds that such a step takes
_STEP_LIFT = 0.09  # of the leg's length that it is lifted by
_CUSHION = 0.02  # metres over the floor in which a foot in the air is slowed down
_LOW_HEIGHT = 0.012  # metres: a foot that is higher is not on the floor yet,
_LIFTED_HEIGHT = 0.03  # and a foot that is higher than this stands no longer, even if the recording says so
_FARTHEST_HOLD = 0.3  # of the leg's length that a standing foot is held at, whatever the other foot does
_EASY_REACH = 0.985  # of the leg's length that a foot is put to: a knee that is straighter snaps
_GIVING_SHARE = 0.01  # of the leg's length that a foot in the air may be farther
_MOST_SINKING = 0.12  # metres that the pelvis is lowered by at most
_SINKING, _RISING = 30.0, 6.0  # per second: how fast the pelvis goes down for a leg too short, and up again
_KNEELING_HEIGHT = 0.2  # of the leg's length: a knee that is lower may be on the floor
_OWN_HASTE = 1.05  # times what is recorded: a joint may be so hasty


@kernel
def place_balls(model, scratch):
    """Place the balls of the feet by the stream and the blend; returns how much higher the blend has them."""
    rise = 0.0
    for side in range(2):
        joint, ball, now = model.legs[side].foot, row_of(model.balls, side), scratch.feet[side]
        _, stream_y, _ = turn(rotation_at(scratch.stream_turned, joint), ball)
        now.stream_ankle_y = scratch.stream_place[joint, 1]
        now.stream_ball_y = scratch.stream_place[joint, 1] + stream_y
        x, y, z = turn(rotation_at(scratch.turned, joint), ball)
        now.ball_x = scratch.place[joint, 0] + x
        now.ball_y = scratch.place[joint, 1] + y
        now.ball_z = scratch.place[joint, 2] + z
        rise += 0.5 * (now.ball_y - now.stream_ball_y)
    return rise


@kernel
def move_feet(model, state, n, tick, scratch, weights):
    """Place the feet of body n; returns the metres by which its pelvis has to be lowered for that.

    weights is how far both feet have gone to the reference.
    """
    sinking = 0.0
    for side in range(2):
        foot, now = state.feet[n, side], scratch.feet[side]
        heading = about_vertical(state.bodies[n].heading)
        # as it is turned in the world, so that a sole stays flat between two flat soles
        wanted = compose(heading, rotation_at(state.reference_foot[n], side))
        own = rotation_at(scratch.stream_turned, model.legs[side].foot)
        turned = slerp(own, wanted, weights[side])
        _look_at(model, tick, side, turn(turned, row_of(model.balls, side))[1], foot, now, turned)
        _change_phase(tick, foot, now)
        if foot.phase == STANDING:
            _stand(model, tick, foot, now, state.feet[n, 1 - side].phase == STANDING)
        if foot.phase == STEPPING:
            _step(model, tick, foot, now)
        elif foot.phase == SWINGING:
            _swing(model, tick, foot, now)
        _stay_above_floor(tick, foot, now)
        _remember(foot, now)
        _aim_ankle(model, side, foot, now, turned, scratch)
        if foot.phase == STANDING:
            sinking = max(sinking, _missing_reach(model, side, scratch))
    return sinking


@kernel
def _look_at(model, tick, side, ball_below, foot, now, turned):
    """Examine a foot that the blend turns so; ball_below is its ball from its ankle."""
    now.yaw = 2.0 * math.atan2(turned[2], turned[0])
    now.clear = min(now.ball_y - ball_below - model.ankle_level, now.ball_y - model.ball_level)
    if not np.isfinite(foot.clear):  # the first tick: nothing was shown before
        foot.clear = now.clear
        foot.shown.x, foot.shown.z, foot.shown.yaw = now.ball_x, now.ball_z, now.yaw
    now.rising = (now.clear - foot.clear) / tick.step
    now.high = foot.offset.y + foot.clear
    now.lift_speed = foot.speed.y + now.rising
    foot.clear = now.clear

    now.touches, now.recorded = model.contacts[tick.frame, side], model.clearance[tick.frame, side]
    earlier = model.clearance[min(int(np.rint(tick.before)), len(model.clearance) - 1), side]
    if tick.still:
        now.touches, now.recorded, earlier = True, min(now.recorded, 0.0), min(earlier, 0.0)
    now.recorded_speed = (now.recorded - earlier) / tick.step if tick.time > tick.step else 0.0

    laid = now.stream_ankle_y < model.ankle_level - _LAID_DEPTH
    ball_height = min(now.stream_ball_y, now.ball_y + now.high - now.clear)
    over = min(now.stream_ankle_y - model.ankle_level, now.stream_ball_y - model.ball_level)
    ball_is_down = ball_height < model.ball_level + _ROLL * model.leg_length and over < _LOW_HEIGHT
    now.down = tick.still or laid or ball_is_down
    now.leaves = not now.touches or not (tick.still or laid or over < _LIFTED_HEIGHT)


@kernel
def _change_phase(tick, foot, now):
    """Whether a foot lands, leaves the floor, or has to make a step, by what is recorded."""
    if foot.phase == SWINGING and now.touches:
        if tick.still and now.high > _LOW_HEIGHT:
            _begin_step(foot, now)
        elif now.down:
            _land(tick, foot, now)
    elif foot.phase == STANDING and now.leaves:
        foot.phase, foot.lifted = SWINGING, 0.0
    elif foot.phase == STEPPING and not now.touches:
        foot.phase, foot.lifted = SWINGING, _LIFTING_SECONDS


@kernel
def _land(tick, foot, now):
    """Stand from now on: the foot glides on a little, with the speed that it lands with."""
    foot.phase, foot.stood = STANDING, 0.0
    x, z, yaw = now.ball_x + foot.offset.x, now.ball_z + foot.offset.z, now.yaw + foot.offset.yaw
    landing, anchor = foot.landing, foot.anchor
    landing.x, landing.z = (x - foot.shown.x) / tick.step, (z - foot.shown.z) / tick.step
    landing.yaw = (yaw - foot.shown.yaw) / tick.step
    landing.yaw = wrap_angle(tick.step * landing.yaw) / tick.step
    foot.glide = min(_LANDING, 3.0 * _GLIDE / max(np.hypot(landing.x, landing.z), 1e-9))
    anchor.x = x + landing.x * foot.glide / 3.0
    anchor.z = z + landing.z * foot.glide / 3.0
    anchor.yaw = yaw + landing.yaw * foot.glide / 3.0


@kernel
def _begin_step(foot, now):
    """Make a step, from where the foot is and as fast as it moves."""
    foot.phase, foot.stepping = STEPPING, 0.0
    start, speed = foot.step_from, foot.step_speed
    start.x, start.y, start.z, start.yaw = foot.offset.x, now.high, foot.offset.z, foot.offset.yaw
    speed.x, speed.y, speed.z, speed.yaw = foot.speed.x, now.lift_speed, foot.speed.z, foot.speed.yaw
    foot.lag_x, foot.lag_z = 0.0, 0.0


@kernel
def _stand(model, tick, foot, now, other_stands):
    """Stay at the anchor, unless that is too far from where the foot belongs: then a step begins."""
    foot.stood += tick.step
    left = max(1.0 - foot.stood / max(foot.glide, 1e-9), 0.0)
    glide = left * left * left * foot.glide / 3.0
    x = foot.anchor.x - glide * foot.landing.x - now.ball_x
    z = foot.anchor.z - glide * foot.landing.z - now.ball_z
    yaw = wrap_angle(foot.anchor.yaw - glide * foot.landing.yaw - now.yaw)
    away = np.hypot(x, z)
    due = away > _STEP * model.leg_length or abs(yaw) > _TWIST
    # on both feet there is time for a step
    if (due and other_stands) or away > _FARTHEST_HOLD * model.leg_length:
        foot.lifted = 0.0
        _begin_step(foot, now)
        return
    offset, speed, step = foot.offset, foot.speed, tick.step
    speed.x, speed.z = (x - offset.x) / step, (z - offset.z) / step
    speed.yaw = (yaw - offset.yaw) / step
    offset.x, offset.z, offset.yaw = x, z, yaw
    # its height over the floor: as recorded, and as fast
    lifts = now.recorded_speed
    up, up_speed = spring_towards(
        now.high - now.recorded + step * lifts, now.lift_speed - lifts, 0.0, _SETTLING_RATE, step
    )
    offset.y, speed.y = now.recorded + up - now.clear, lifts + up_speed - now.rising


@kernel
def _step(model, tick, foot, now):
    """Go on with a step; at its end the foot stands where it belongs."""
    foot.stepping += tick.step
    share = min(foot.stepping / _STEP_TIME, 1.0)
    # the nearer it comes to the floor, the less it goes along with the body
    along = smoother_step(share)
    foot.lag_x -= along * (now.ball_x - foot.blend_x)
    foot.lag_z -= along * (now.ball_z - foot.blend_z)
    start, start_speed = foot.step_from, foot.step_speed
    x = fade_offset(start.x, start_speed.x, share, _STEP_TIME) + foot.lag_x
    y = fade_offset(start.y, start_speed.y, share, _STEP_TIME)
    z = fade_offset(start.z, start_speed.z, share, _STEP_TIME) + foot.lag_z
    yaw = fade_offset(start.yaw, start_speed.yaw, share, _STEP_TIME)
    lift = max(_STEP_LIFT * model.leg_length - max(start.y, 0.0), 0.0)
    y += lift * math.sin(math.pi * share) ** 2 + along * now.recorded - now.clear
    offset, speed, step = foot.offset, foot.speed, tick.step
    speed.x, speed.y = (x - offset.x) / step, (y - offset.y) / step
    speed.z, speed.yaw = (z - offset.z) / step, (yaw - offset.yaw) / step
    offset.x, offset.y, offset.z, offset.yaw = x, y, z, yaw
    if share >= 1.0:
        foot.phase, foot.stood, foot.glide = STANDING, 0.0, 0.0
        foot.landing.x, foot.landing.z, foot.landing.yaw = 0.0, 0.0, 0.0
        foot.anchor.x, foot.anchor.z = now.ball_x + x, now.ball_z + z
        foot.anchor.yaw = now.yaw + yaw


@kernel
def _swing(model, tick, foot, now):
    """Give up the place where the foot was held; a foot that rolls over its heel only stops moving."""
    foot.lifted += tick.step
    offset, speed, step = foot.offset, foot.speed, tick.step
    if now.touches:
        kept = math.exp(-_STOPPING_RATE * step)
        speed.x, speed.z, speed.yaw = speed.x * kept, speed.z * kept, speed.yaw * kept
        offset.x, offset.z = offset.x + step * speed.x, offset.z + step * speed.z
        offset.yaw += step * speed.yaw
    else:
        # a foot that is hardly off the floor must not be seen to slide over it
        freely = min(max(now.high / (_CLEAR_HEIGHT * model.leg_length), _LEAST_SPEED_SHARE), 1.0)
        offset.x, speed.x = spring_towards(offset.x, speed.x, 0.0, freely * _LETTING_GO, step)
        offset.z, speed.z = spring_towards(offset.z, speed.z, 0.0, freely * _LETTING_GO, step)
        offset.yaw, speed.yaw = spring_towards(offset.yaw, speed.yaw, 0.0, freely * _LETTING_GO, step)
    way = np.hypot(offset.x, offset.z)
    way += _TURN_LIFT * abs(offset.yaw)
    goal = 0.0 if now.touches else _STEP_HEIGHT * way * min(foot.lifted / _LIFTING_SECONDS, 1.0)
    offset.y, speed.y = spring_towards(offset.y, speed.y, goal, _SETTLING_RATE, step)


@kernel
def _stay_above_floor(tick, foot, now):
    """A foot that comes near the floor without being recorded there is slowed down."""
    lowest = min(now.recorded, 0.0)
    high = foot.offset.y + now.clear - lowest
    soft = 0.0
    if foot.phase != STANDING:
        soft = min(_CUSHION, 0.5 * max(now.recorded - lowest - high, 0.0))
    if high < soft:
        up = lowest - now.clear + soft * math.exp(high / max(soft, 1e-9) - 1.0)
        foot.speed.y += (up - foot.offset.y) / tick.step
        foot.offset.y = up
    elif high < 0.0:
        foot.offset.y, foot.speed.y = lowest - now.clear, -now.rising


@kernel
def _remember(foot, now):
    """Keep the values of this tick that the next tick needs."""
    foot.blend_x, foot.blend_z = now.ball_x, now.ball_z
    foot.shown.x, foot.shown.z = now.ball_x + foot.offset.x, now.ball_z + foot.offset.z
    foot.shown.yaw = now.yaw + foot.offset.yaw


@kernel
def _aim_ankle(model, side, foot, now, turned, scratch):
    """Find the rotation of a foot, and the place of its ankle."""
    turned = compose(about_vertical(foot.offset.yaw), turned)
    set_rotation(scratch.foot_turned, side, turned)
    x, y, z = turn(turned, row_of(model.balls, side))
    scratch.ankles[side, 0] = now.ball_x + foot.offset.x - x
    scratch.ankles[side, 1] = now.ball_y + foot.offset.y - y
    scratch.ankles[side, 2] = now.ball_z + foot.offset.z - z


@kernel
def _leg_span(model, side, scratch):
    """Metres from hip to ankle, as the blend has them."""
    thigh, ankle = model.legs[side].thigh, model.legs[side].foot
    square = 0.0
    for k in range(3):
        square += (scratch.place[ankle, k] - scratch.place[thigh, k]) ** 2
    return math.sqrt(square)


@kernel
def _missing_reach(model, side, scratch):
    """Metres that a leg is too short by to stand where its foot has to be."""
    thigh = model.legs[side].thigh
    reach = max(_leg_span(model, side, scratch), _EASY_REACH * model.leg_length)
    dx = scratch.ankles[side, 0] - scratch.place[thigh, 0]
    dz = scratch.ankles[side, 2] - scratch.place[thigh, 2]
    above = scratch.place[thigh, 1] - scratch.ankles[side, 1]
    too_short = above - math.sqrt(max(reach * reach - (dx**2 + dz**2), 0.0))
    upright = smoother_step(4.0 * (above / model.leg_length - 0.5))
    return min(upright * too_short, _MOST_SINKING)


@kernel
def lower_pelvis(model, body, sinking, step, scratch, root):
    """Lower a body bit by bit for a leg that is too short; root (3,) is its place as shown."""
    hurry = _SINKING if sinking > body.sunk else _RISING
    body.sunk, body.sunk_speed = spring_towards(body.sunk, body.sunk_speed, sinking, hurry, step)
    # a body that falls or goes down on all fours needs no lowering
    height = scratch.place[model.legs[0].thigh, 1]
    upright = smoother_step(4.0 * (height / model.leg_length - 0.5))
    body.sunk = min(body.sunk, _MOST_SINKING * upright)
    for joint in range(len(model.parents)):
        scratch.place[joint, 1] -= body.sunk
    root[1] -= body.sunk


@kernel
def bend_legs(model, feet, scratch, rotations):
    """Bend the legs until feet (2,) are where they have to be; changes relative rotations (J, 4).

    A leg in the air that is too short just does not get there.
    """
    for side in range(2):
        foot, thigh = feet[side], model.legs[side].thigh
        aim = minus(row_of(scratch.ankles, side), row_of(scratch.place, thigh))
        if foot.phase != STANDING:
            aim = _within_reach(model, side, foot, scratch, aim)
        _bend_leg(model, side, scratch, aim, rotations)


@kernel
def _within_reach(model, side, foot, scratch, aim):
    """The way from a hip to an ankle in the air, shortened to what the leg reaches."""
    since = foot.lifted
    if foot.phase == STEPPING:
        since = max(since, foot.stepping)
    easy = LEG_REACH + smoother_step(since / _LIFTING_SECONDS) * (_EASY_REACH - LEG_REACH)
    reach = max(_leg_span(model, side, scratch), easy * model.leg_length)
    distance = math.sqrt(aim[0] ** 2 + aim[1] ** 2 + aim[2] ** 2)
    if distance <= reach:
        return aim
    shorter = soft_limit(distance, reach, _GIVING_SHARE * model.leg_length) / distance
    thigh = model.legs[side].thigh
    x, y, z = row_of(scratch.place, thigh)
    # by way of the world, which rounds as it always has
    return x + shorter * aim[0] - x, y + shorter * aim[1] - y, z + shorter * aim[2] - z


@kernel
def _bend_leg(model, side, scratch, aim, rotations):
    """Turn thigh, shin and foot so that the ankle is at aim, metres from the hip, and the foot as wanted."""
    leg, parents, place, turned = model.legs[side], model.parents, scratch.place, scratch.turned
    thigh, shin, foot = leg.thigh, leg.shin, leg.foot
    upper = minus(row_of(place, shin), row_of(place, thigh))
    lower = minus(row_of(place, foot), row_of(place, shin))
    above_shin = rotation_at(turned, parents[shin])
    bend, swing = solve_leg(upper, lower, turn(above_shin, row_of(model.hinges, side)), aim)
    if parents[thigh] >= 0:
        above_thigh = rotation_at(turned, parents[thigh])
        swung = compose(swing, rotation_at(turned, thigh))
        set_rotation(rotations, thigh, compose(inverse(above_thigh), swung))
    bent = compose(bend, rotation_at(turned, shin))
    set_rotation(rotations, shin, compose(inverse(above_shin), bent))
    above_foot = compose(swing, compose(bend, rotation_at(turned, parents[foot])))
    wanted = rotation_at(scratch.foot_turned, side)
    set_rotation(rotations, foot, compose(inverse(above_foot), wanted))


@kernel
def lift_knees(model, scratch, rotations):
    """Metres to lift a body that kneels, so that it is not bent into the floor."""
    lift = 0.0
    for side in range(2):
        thigh, shin = model.legs[side].thigh, model.legs[side].shin
        knee = scratch.stream_place[shin, 1]
        if knee < _KNEELING_HEIGHT * model.leg_length and model.parents[shin] == thigh:
            above = rotation_at(scratch.turned, model.parents[thigh])
            turned = compose(above, rotation_at(rotations, thigh))
            below = turn(turned, row_of(model.offsets, shin))[1]
            lift = max(lift, knee - scratch.place[thigh, 1] - below)
    return lift


@kernel
def brake_legs(model, state, n, tick, most, rotations):
    """No leg turns more hastily than `most` radians per second²; what is recorded stays as it is."""
    first, last = max(tick.frame - 1, 0), min(tick.frame + 2, len(model.root))
    for side in range(2):
        leg = model.legs[side]
        shown, before = state.leg_shown[n, side], state.leg_before[n, side]
        for part, joint in enumerate((leg.thigh, leg.shin, leg.foot)):
            recorded = model.accelerations[first, joint]
            for frame in range(first + 1, last):
                recorded = max(recorded, model.accelerations[frame, joint])
            allowed = max(most, _OWN_HASTE * recorded) * tick.step * tick.step
            wanted = rotation_at(rotations, joint)
            if state.bodies[n].ticks > 1:
                wanted = _brake(rotation_at(before, part), rotation_at(shown, part), wanted, allowed)
                set_rotation(rotations, joint, wanted)
            set_rotation(before, part, rotation_at(shown, part))
            set_rotation(shown, part, wanted)


@kernel
def _brake(before, last, wanted, most):
    """A rotation, changed so that it differs by at most so many radians from going on steadily."""
    steady = compose(compose(last, inverse(before)), last)
    away = compose(wanted, inverse(steady))
    angle = 2.0 * math.acos(min(abs(away[0]), 1.0))
    if angle > most:
        return slerp(steady, wanted, most / angle)
    return wanted
