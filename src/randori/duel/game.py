"""The parts of a game as plain arrays: the kernels and the plain reference read the same ones.

docs/duel.md says what they mean and how the game is played. Ticks are frames of the libraries, which
share one rate; places are rows of x, z in metres and yaw in radians, as in motion/placement.py.
"""

from typing import NamedTuple

import numpy as np

from randori.duel.added import NOTHING_ADDED, Added

OTHER, ATTACK, DEFENCE = range(3)  # how the rules class an action
GO_ON = -1  # instead of an action: an alert fighter does not break off what it does
BEARINGS = 8  # sectors in which a struck body sees its attacker; sector 0 lies straight ahead
DIRECTIONS = ("back", "forward", "left", "right")  # that a blow drives the struck body, as that body sees it
STRENGTHS = ("light", "heavy", "felling")


class Stock(NamedTuple):
    """Every motion that the fighters of a game can do. Libraries stand one after the other."""

    tick: float  # seconds
    # postures P, and the actions K that start in each (CSR)
    choice_start: np.ndarray  # (P + 1,) int64
    choices: np.ndarray  # (K,) int64
    # actions A
    first: np.ndarray  # (A,) int64, frame
    ticks: np.ndarray  # (A,) int64, how long: frame first + ticks is its last one
    kind: np.ndarray  # (A,) int64: OTHER, ATTACK or DEFENCE
    short: np.ndarray  # (A,) bool, an attack of short range
    end_posture: np.ndarray  # (A,) int64
    entry: np.ndarray  # (A, 3) where the recording has the frame of the posture it starts in
    exit: np.ndarray  # (A, 3) and of the posture it ends in
    pairing: np.ndarray  # (A,) int64, row or column in Side.combination; -1 if it is not in the table
    likeness: np.ndarray  # (A,) int64, the same for actions that look alike: one technique of one side
    room: np.ndarray  # (A,) metres that the fighter needs, nearer than which rule 4 forbids to end
    still: np.ndarray  # (A,) seconds in which both feet stand still
    turned: np.ndarray  # (A, 8) int64: the form of a reaction that ends facing an attacker in each sector
    strike_start: np.ndarray  # (A + 1,) int64
    # strikes S
    strike_first: np.ndarray  # (S,) int64, ticks after the action's start
    strike_stop: np.ndarray  # (S,) int64, the tick after the last
    strike_capsule: np.ndarray  # (S,) int64, the striking capsule: index into body.capsules.CAPSULES
    strike_range: np.ndarray  # (S,) metres, beyond which rule 3 forbids it, …
    strike_room: np.ndarray  # (S,) … and nearer than which it does
    # frames F
    place: np.ndarray  # (F, 3) as recorded: x and z of the pelvis, yaw of the stance
    facing: np.ndarray  # (F,) radians, yaw of the way the head looks
    body: np.ndarray  # (F, 16, 2, 3) metres, capsules as recorded
    radii: np.ndarray  # (F, 16) metres, negative for a capsule that is missing
    response: np.ndarray  # (F, 12) int64: the action that answers a blow, by 3 × direction + strength, or -1
    break_posture: np.ndarray  # (F,) int64: the posture to go on from if an action is broken off, or -1
    break_place: np.ndarray  # (F, 3) where the recording has that posture's frame


class Sides(NamedTuple):
    """The wishes and abilities of each of N fighters."""

    team: np.ndarray  # (N,) int64: 0 or 1
    facing_weight: np.ndarray  # (N,) w_θ
    distance_weight: np.ndarray  # (N,) w_r
    distance: np.ndarray  # (N,) r_d, metres
    given_short: np.ndarray  # (N,) w_D⁺ of attacks of short range
    given_long: np.ndarray  # (N,) w_D⁺ of the others
    taken: np.ndarray  # (N,) w_D⁻
    pairing_weight: np.ndarray  # (N,) w_S
    duration_weight: np.ndarray  # (N,) control: per second of an action
    recency_weight: np.ndarray  # (N,) control: for an action that was just used
    stillness_weight: np.ndarray  # (N,) control: per second with both feet still
    initiative_weight: np.ndarray  # (N,) for an attack: per second² in which the fighter was left in peace
    caution_weight: np.ndarray  # (N,) for a defence that suits the attack it answers
    futility_weight: np.ndarray  # (N,) for an attack that would meet no body
    reach: np.ndarray  # (N,) metres from which on most of its attacks are out of range
    heading_weight: np.ndarray  # (N,) w_γ
    heading: np.ndarray  # (N,) γ_d, radians
    path_weight: np.ndarray  # (N,) w_p
    goal: np.ndarray  # (N, 2) p_d, metres
    request_weight: np.ndarray  # (N,) w_a
    request: np.ndarray  # (N, A) int64: +1 for an action that is asked for, -1 for one that is not wanted
    urge: np.ndarray  # (N, A) what each action counts for the root of a search, and for no other selection
    pairing_shared: np.ndarray  # (N,) bool: f_comb belongs to the cooperative function
    path_rival: np.ndarray  # (N,) bool: f_mov2 belongs to the competitive function
    reaction: np.ndarray  # (N,) int64, ticks for which an attack is not seen
    # (N,) metres: nearer than that it has caught its opponent; 0 for fighters that do not catch
    touch: np.ndarray
    combination: np.ndarray  # (D + T, T) suitability of a defence, or then an attack, against an attack
    guess: np.ndarray  # (N, A) how often each action is expected of an opponent; used if Rules.model
    added: np.ndarray  # (N, T) weights of Rules.added.terms


class Rules(NamedTuple):
    """The rules, and the reactions to blows."""

    overlap: float  # metres that bodies may pass into each other
    overlap_step: int  # ticks between the moments in which that is looked at
    facing: float  # radians that a fighter may look past its opponent as an action ends
    defence_range: float  # metres beyond which no fighter defends
    heavy: float  # damage from which a blow makes stagger
    felling: float  # damage from which it fells
    stamina: float  # damage that a fighter can bear: a heavy blow beyond it fells
    remembered: int  # selections that the recency looks back
    alike: float  # weight of using an action that only looks alike
    forgetting: float  # by which a use counts less with every selection since
    patience: float  # seconds of peace after which the wish to attack grows no more
    model: bool  # opponents are expected to do what they did before, instead of their best
    added: Added = NOTHING_ADDED  # terms and rules of users


class State(NamedTuple):
    """A moment of a game: the state of every fighter."""

    now: int  # tick
    action: np.ndarray  # (N,) int64
    start: np.ndarray  # (N,) int64, tick
    stop: np.ndarray  # (N,) int64, tick in which it ends
    place: np.ndarray  # (N, 3) moves the recording to where it happens
    spent: np.ndarray  # (N,) int64, bit k: strike k of the action has met something or is not believed in
    idle: np.ndarray  # (N,) bool: the action has ended, and its end is counted
    recent: np.ndarray  # (N, remembered) int64, last choices, the newest first, -1 for none
    alert: np.ndarray  # (N,) int64: the frame in which a fighter may break off its action now, or -1
    peace: np.ndarray  # (N,) int64, tick since which a fighter neither attacks nor is attacked
    onset: np.ndarray  # (N,) int64, tick of the last selection of an attack that did not follow on an attack
    hurt: np.ndarray  # (N,) damage that a fighter has taken and not recovered from


class Verdict(NamedTuple):
    """The result of a search."""

    action: int
    competitive: float  # S_comp as the searching fighter sees it
    cooperative: float  # S_coop
    line: np.ndarray  # (L, 3) int64: fighter, action and tick of the selections that are expected
    nodes: int  # choices that were tried
