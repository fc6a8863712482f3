"""The words of a scene, and how each of its values is edited: ranges, units, a line of help.

Ranges and defaults are the scene's own. What stands here is what a person reads. A value that is new in
scene.py and has no words here yet gets a control all the same, named after its key.
"""

import tomllib
from typing import Any

from pydantic import BaseModel

from randori import __version__
from randori.body.mannequin import MATERIALS
from randori.body.palette import OUTFITS
from randori.capture.sidecar import DIRECTIONS, KINDS, SIDES
from randori.capture.sidecar import POSITIONS as HIT_POSITIONS
from randori.duel.combination import ATTACKS, DEFENCES, POSITIONS, combination_table
from randori.duel.styles import STYLES
from randori.graph.motions import Motions
from randori.patches.pattern import Annotation, Pattern, Wanted, scene_text
from randori.patches.pattern import Weights as PatternWeights
from randori.performer import BODIES, SETS
from randori.performer.luggage import PIECES
from randori.policy.arena import WEIGHTS as BEHAVIOUR_WEIGHTS
from randori.policy.behaviours import BEHAVIOURS
from randori.scene.groups import GROUPS
from randori.scene.scene import (
    INPUT_VALUES,
    KIND_KEYS,
    OWN_KEYS,
    WEIGHTS,
    BallTable,
    CameraTable,
    CarTable,
    Checkpoint,
    FinaleTable,
    Formation,
    Group,
    InputTable,
    MarkerTable,
    Member,
    ObstacleTable,
    Pin,
    RuleTable,
    Scene,
    ShotTable,
    TargetTable,
    WallTable,
)
from randori.studio import messages as wire
from randori.studio.buffers import outfits

FORMATS = ("glb", "bvh", "usd", "mp4", "png", "npz")
TERMS = {
    "stance": "how well it ends facing the opponent at the distance that the style likes",
    "path": "how near it brings the character to its checkpoint",
    "control": "short actions, and those that were not just used",
    "pairing": "how well the defence suits the attack, by the combination table",
    "request": "actions that are asked for, or not wanted",
    "temper": "initiative, caution, breath and variety, and whether an attack would meet an opponent",
}

Words = dict[str, tuple[str, str, dict[str, Any]]]  # key: title, help, and what else a control says

_ACTIONS = sorted({*(f"{side} {name}" for side in ("left", "right") for name in ATTACKS), *DEFENCES})
_SCENE: Words = {
    "title": ("Title", "The name of the scene.", {}),
    "description": ("Description", "A sentence for the gallery.", {}),
    "seconds": ("Length", "How long the take is.", {"unit": "s", "step": 0.5, "maximum": 120.0}),
    "seed": ("Seed", "Another number, another take; the same number, the same take.", {"maximum": 9999.0}),
    "selection": ("Selection", "Always the best option, or by chance: the better, the likelier.", {}),
    "temperature": ("Wildness", "Of a choice by chance: more is wilder.", {"logarithmic": True}),
    "model": ("Opponent model", "Expect opponents to do the same as before, instead of their best.", {}),
    "path_function": ("Path counts as", "A shared goal, or one that characters compete for.", {}),
    "pairing_function": ("Table counts as", "Competition, or cooperation: stylised exchanges.", {}),
    "ends_when_caught": ("Ends when caught", "The take is over soon after a character was caught.", {}),
    "look_at_opponents": ("Look at opponents", "Heads of fighters turn to their opponents.", {}),
    "lingers": (
        "Lingers",
        "Seconds after the last required fall; without a value, the scene runs to its end.",
        {"unit": "s", "maximum": 30.0, "step": 0.5},
    ),
}
_MEMBER: Words = {
    "name": ("Name", "The name of the character.", {}),
    "character": (
        "Character",
        "Its own body: drop a file with a skinned mesh here (GLB, VRM or FBX).",
        {"kind": "character"},
    ),
    "controller": (
        "Controller",
        "The part of Randori that decides for the character.",
        {"shown": ["fights", "strikes a target", "you play it, live", "walks and prepares"]},
    ),
    "style": ("Style", "Its wishes: the weights it starts from.", {"choices": list(STYLES)}),
    "depth": (
        "Intelligence",
        "Moves that it looks ahead; each one more takes longer.",
        {},
    ),
    "team": ("Team", "It fights the characters of the other team.", {"kind": "team"}),
    "reaction": (
        "Reaction time",
        "For so long it does not see an attack that was launched.",
        {"unit": "s", "step": 0.05, "maximum": 1.0},
    ),
    "place": (
        "Start",
        "Its place, and the direction of its look: 0° is +z, 90° is +x.",
        {"kind": "place and turn"},
    ),
    "outfit": ("Outfit", "Its colours.", {"kind": "choice", "choices": list(OUTFITS)}),
    "target": ("Target", "The character, or the thing, that it goes for.", {}),
    "behaviours": ("Behaviours", "Its learned behaviours.", {"kind": "words", "choices": list(BEHAVIOURS)}),
    "few": (
        "Liveliness",
        "One of so many best actions is drawn; 1 takes the best.",
        {"maximum": 10.0},
    ),
    "ahead": ("States ahead", "That it looks at before it chooses.", {}),
    "goal": (
        "Goal",
        "Its goals, one after the other.",
        {"shown": ["none", "balls", "opponents", "obstacles"]},
    ),
    "does": (
        "Target motions",
        "Its actions at the goal.",
        {"kind": "words", "choices": ["punch", "kick", "crawl", "duck", "jump"]},
    ),
    "table": ("Table", "A file with what it has learned. Without one it learns by itself.", {}),
    "motions": ("Motions", "How it can move: one of the scene's motions.", {}),
    "wanted": ("Wanted", "Actions that it prefers: left jab, duck.", {"kind": "words", "choices": _ACTIONS}),
    "unwanted": ("Unwanted", "Actions that it avoids.", {"kind": "words", "choices": _ACTIONS}),
    "height": ("Height", "Of that character; its file's own if not given.", {"unit": "m", "step": 0.05}),
    "hidden": ("Hidden", "Meshes of that character that are not shown: *Shield*.", {"kind": "words"}),
    "joins": (
        "Joins in",
        "Until then it does not attack, and the others ignore it.",
        {"unit": "s", "maximum": 60.0, "step": 0.5},
    ),
}
_FINE_SCALE: dict[str, Any] = {"maximum": 1e4, "logarithmic": True}
_WEIGHT: dict[str, Any] = {"maximum": 1e6, "logarithmic": True}
_WEIGHTS: Words = {
    "distance": ("Distance", "That it likes to keep from the opponent.",
                 {"unit": "m", "maximum": 5.0, "step": 0.05}),
    "facing_weight": ("Facing", "How much it wants to face the opponent.", _FINE_SCALE),
    "distance_weight": ("Keeping distance", "How much the distance matters.", _FINE_SCALE),
    "given_short": ("Short strikes", "The worth of damage by attacks of short range.", _WEIGHT),
    "given_long": ("Long strikes", "The worth of damage by attacks of long range.", _WEIGHT),
    "taken": ("Caution", "The price of damage to itself.", _WEIGHT),
    "pairing_weight": ("Fitting defences", "How much the combination table counts.", _WEIGHT),
    "duration_weight": ("Haste", "The price of each second of an action.", _WEIGHT),
    "recency_weight": ("No repeats", "The price of an action that was just used.", _WEIGHT),
    "stillness_weight": ("Restlessness", "The price of each second in which both feet stand still.", _WEIGHT),
    "initiative_weight": ("Initiative", "The worth of an attack after a second of peace.", _WEIGHT),
    "caution_weight": ("Readiness to defend", "The worth of a defence that suits the attack.", _WEIGHT),
    "futility_weight": ("Aim", "The price of an attack that would miss.", _WEIGHT),
    "breath_weight": ("Breath", "The price of an attack just after many others.", _WEIGHT),
    "variety_weight": ("Variety", "The price of a technique that was used a lot recently.", _WEIGHT),
    "heading_weight": ("Heading", "How much the way that it looks along matters.", _WEIGHT),
    "path_weight": ("Path", "How strongly checkpoints draw it.", _WEIGHT),
    "request_weight": ("Obedience", "The worth of a wanted action.", _WEIGHT),
    "touch": ("Reach to catch", "Nearer than that it has caught the opponent; 0: it does not catch.",
              {"unit": "m", "maximum": 2.0, "step": 0.05}),
}  # fmt: skip
_CHECKPOINT: Words = {
    "place": ("Place", "Its place: drag it on the stage.", {"kind": "place", "unit": "m"}),
    "radius": ("Radius", "Within it the checkpoint is reached.", {"unit": "m", "maximum": 5.0, "step": 0.1}),
    "who": ("Who", "The characters that it draws; all of them, if none is named.", {"kind": "names"}),
    "time": (
        "Not left before",
        "A character that is there sooner waits.",
        {"unit": "s", "maximum": 120.0, "step": 0.5},
    ),
    "required": ("Required", "Done here, before they go on: left hook, fall.", {"kind": "wishes"}),
    "forbidden": ("Forbidden", "Not done before they are through here.", {"kind": "wishes"}),
    "facing": (
        "Facing",
        "The way that each looks here; 0 is along z.",
        {"kind": "angles", "unit": "°", "minimum": -180.0, "maximum": 180.0, "step": 5.0},
    ),
}
_PLACE: dict[str, Any] = {"kind": "place", "unit": "m"}
_FORMATION: Words = {
    "shape": ("Shape", "In which the pairs stand at the start; a picture is filled at the end.", {}),
    "pairs": ("Pairs", "Each like the two of the cast.", {"maximum": 100.0}),
    "spacing": (
        "Spacing",
        "Between neighbours, at the start.",
        {"unit": "m", "maximum": 10.0, "step": 0.1},
    ),
    "centre": ("Centre", "Around which they stand.", _PLACE),
    "radius": ("Radius", "Of a circle, if it is to be wider.", {"unit": "m", "maximum": 50.0, "step": 0.5}),
    "picture": ("Picture", "A file of the project; its dark parts are the shape at the end.", {}),
    "spread": (
        "Spread",
        "How much wider it becomes on its way.",
        {"unit": "×", "maximum": 4.0, "step": 0.05},
    ),
    "turn": (
        "Turn",
        "That it makes about its centre on its way.",
        {"unit": "°", "minimum": -720.0, "maximum": 720.0, "step": 5.0},
    ),
    "march": ("March", "How far it moves along.", _PLACE),
    "time": ("Moves", "When it sets off, and when it has arrived.", {"kind": "moments", "unit": "s"}),
    "every": (
        "A checkpoint every",
        "The fewer seconds, the more closely they keep to the shape.",
        {"unit": "s", "maximum": 10.0, "step": 0.1},
    ),
    "near": (
        "Near enough",
        "Within it a checkpoint is reached.",
        {"unit": "m", "maximum": 3.0, "step": 0.05},
    ),
    "ahead": (
        "Ahead",
        "In a chase: that the second of a pair is before the first.",
        {"unit": "s", "step": 0.1},
    ),
    "required": ("Required", "Done at the end of the way: left hook, fall.", {"kind": "wishes"}),
}
_CAMERA: Words = {
    "azimuth": (
        "Azimuth",
        "Degrees from the side that shows all characters best.",
        {"unit": "°", "step": 5.0},
    ),
    "elevation": ("Elevation", "Above the floor.", {"unit": "°", "step": 1.0}),
    "follow": ("Follows", "Goes with the characters; else it stands still and sees all of their way.", {}),
    "on": ("On", "The character that pictures are about.", {}),
    "reach": ("Reach", "About that character, that is seen.", {"unit": "m", "maximum": 20.0, "step": 0.1}),
}
_WALL: Words = {
    "start": ("From", "One end.", _PLACE),
    "stop": ("To", "The other end.", _PLACE),
    "thickness": ("Thickness", "No character walks through it.", {"unit": "m", "maximum": 2.0, "step": 0.05}),
    "height": ("Height", "As it is seen.", {"unit": "m", "maximum": 6.0, "step": 0.1}),
}
_CAR: Words = {
    "start": ("Comes from", "The start of its road.", _PLACE),
    "stop": ("Heads for", "The end of its road.", _PLACE),
    "runs_over": ("Runs over", "The character that it runs over.", {}),
    "time": ("May set off at", "Not sooner.", {"unit": "s", "maximum": 120.0, "step": 0.5}),
    "patience": (
        "Patience",
        "How long it waits until no other character is in its way.",
        {"unit": "s", "maximum": 30.0, "step": 0.5},
    ),
    "road": (
        "Road",
        "How wide it is: the car does not leave it.",
        {"unit": "m", "maximum": 20.0, "step": 0.1},
    ),
    "speed": ("Speed", "14 m/s are 50 km/h.", {"unit": "m/s", "step": 0.5}),
}
_MOTIONS: Words = {
    "perform": ("Performer", "Sets of the built-in performer.", {"kind": "words", "choices": list(SETS)}),
    "files": ("Recordings", "Recordings of the project.", {"kind": "words"}),
    "library": ("Library", "A library file of the project (NPZ).", {}),
    "body": ("Body", "The body of the performer.", {"choices": list(BODIES)}),
    "seed": ("Seed", "Another number, another performance.", {"maximum": 9999.0}),
    "seconds": ("Length", "One length for all sets, or one for each.", {"kind": "figures", "unit": "s"}),
    "mirrored": ("Mirrored", "Everything a second time, as a mirror shows it.", {}),
    "turned": ("Turned", "Copies of steps, staggers and get-ups that turn by 45 to 180 degrees.", {}),
    "choices": (
        "Choices",
        "Actions to choose from, on average: more is richer, fewer join more smoothly.",
        {"maximum": 200.0, "step": 1.0},
    ),
    "told": ("Told", "Use the actions of the performer's ground truth.", {}),
    "threshold": (
        "Alike",
        "How far postures of patches may differ and count as one.",
        {"unit": "m", "maximum": 0.5, "step": 0.01},
    ),
}
_RULES: Words = {
    "overlap": (
        "Overlap",
        "That bodies may pass into each other.",
        {"unit": "m", "maximum": 0.3, "step": 0.01},
    ),
    "facing": ("Facing", "That an action may end past the opponent.", {"unit": "°", "step": 5.0}),
    "defence_range": (
        "Defence range",
        "Farther away than that, fighters do not defend.",
        {"unit": "m", "maximum": 10.0, "step": 0.1},
    ),
    "heavy": ("Staggering", "Damage from which a blow makes stagger.", {"maximum": 50.0, "step": 0.5}),
    "felling": ("Felling", "Damage from which a blow fells.", {"maximum": 100.0, "step": 0.5}),
    "stamina": (
        "Stamina",
        "Damage taken and not recovered from, from which on any heavy blow fells.",
        {"maximum": 300.0, "step": 5.0},
    ),
}
# lists and tables that have an editor of their own
_SEPARATE_EDITORS = {
    "motions",
    "cast",
    "group",
    "path",
    "rules",
    "combination",
    "weights",
    "folder",
}
_SEPARATE_EDITORS |= {"numbers"}
_GROUP: Words = {
    "kind": (
        "Kind",
        "The kind of group.",
        {
            "shown": [
                "one against many around",
                "pairs that fight",
                "a runner and tacklers",
                "people who panic",
                "onlookers",
                "people who fall in a picture",
                "porters of luggage",
            ]
        },
    ),
    "count": ("How many", "Opponents, pairs, tacklers, people, or porters of a piece.", {"maximum": 60.0}),
    "place": ("Place", "Of its middle, and how far it is turned.", {"kind": "place and turn"}),
    "motions": ("Motions", "One of the scene's; else those of its patterns.", {}),
    "patterns": ("Patterns", "The name of shipped ones, or a file; the usual ones of its kind if empty.", {}),
    "characters": (
        "Characters",
        "Bodies of the members, in turn: mannequin, heavy, small, or files.",
        {"kind": "words"},
    ),
    "heights": (
        "Heights",
        "One for each of these characters; their own if empty.",
        {"kind": "figures", "unit": "m"},
    ),
    "hidden": ("Hidden", "Meshes of the characters that are not shown: *Shield*.", {"kind": "words"}),
    "leader": ("Leader", "The name of its main character.", {}),
    "route": (
        "Route",
        "Places that its main character goes to, seen from the middle of the group.",
        {"kind": "places", "unit": "m"},
    ),
    "picture": (
        "Picture",
        "The people who have fallen fill it: paint it, or name an image in the project.",
        {"kind": "picture"},
    ),
    "pieces": ("Luggage", "The luggage that they carry.", {"kind": "words", "choices": list(PIECES)}),
    "radius": (
        "Radius",
        "How far from the middle they stand; the group's own distance if not given.",
        {"unit": "m", "maximum": 30.0, "step": 0.5},
    ),
    "carried": ("Carried", "How far each carries a piece.", {"unit": "m", "maximum": 10.0, "step": 0.1}),
}
_TARGET: Words = {
    "name": ("Name", "Its name.", {}),
    "place": ("Place", "Where it hangs, and how high.", {"kind": "spot", "unit": "m"}),
    "dragged": ("Dragged", "From place to place, until a person does.", {}),
}
_BALL: Words = {
    "count": ("How many", "Along a way that the seed draws.", {"maximum": 20.0}),
    "place": ("Place", "Of one ball, instead.", {"kind": "place"}),
}
_OBSTACLE: Words = {
    "passed_by": (
        "Passed by",
        "The first that the motions have.",
        {"kind": "words", "choices": ["jump", "duck", "crawl"]},
    ),
    "before": ("Way before it", "About; the seed draws.", {"unit": "m", "maximum": 20.0, "step": 0.1}),
    "place": ("Along the way", "Instead of the way before it.", {"unit": "m", "maximum": 100.0, "step": 0.1}),
}
_INPUT: Words = {
    "time": ("Time", "When it is said.", {"unit": "s", "maximum": 60.0, "step": 0.1}),
    "what": ("What", "The input that a player would send.", {}),
    "who": ("Who", "A character, or a thing.", {}),
    "place": ("Place", "To go to; a thing hangs at a height, too.", {"kind": "spot", "unit": "m"}),
    "action": ("Action", "To do: left jab, guard.", {}),
    "degrees": (
        "Way to look",
        "To face: 0 is +z, 90 is +x.",
        {"unit": "°", "minimum": -180.0, "maximum": 180.0},
    ),
    "key": ("Key", "To set: distance, depth, wanted.", {}),
    "value": ("Value", "The new value.", {"kind": "word"}),
}
_FINALE: Words = {
    "who": ("Who", "Two fighters of different teams.", {"kind": "names"}),
    "time": (
        "From",
        "The two end their fight so soon after it as a patch fits.",
        {"unit": "s", "maximum": 120.0, "step": 0.5},
    ),
    "patterns": ("Patterns", "The name of shipped ones, or a file of the project.", {}),
}
_PIN: Words = {
    "who": ("Who", "The fighter.", {}),
    "at": ("At", "Its first decision from there on that allows the action.", {"unit": "s", "step": 0.1}),
    "action": ("Action", "What it does instead: right jab, jab, attack.", {}),
    "number": ("Number", "This one, where several options fit; the best of them if empty.", {}),
}
_SHOT: Words = {
    "time": ("From", "Until the next cut.", {"unit": "s", "step": 0.1, "maximum": None}),
    "position": ("Camera", "Its place, and its height.", {"kind": "spot", "unit": "m"}),
    "target": ("Looks at", "A place, and a height.", {"kind": "spot", "unit": "m"}),
    "follow": ("Follows", "The name of a character, or all; stands still if empty.", {}),
}
_MARKER: Words = {
    "time": ("Time", "That it is about.", {"unit": "s", "step": 0.1, "maximum": None}),
    "note": ("Note", "Shown on the timeline.", {}),
}
_TAGS: Words = {
    "kind": ("Kind", "", {"kind": "words", "choices": list(KINDS)}),
    "technique": (
        "Technique",
        "As the recordings have them: jab, hook.",
        {"kind": "words", "choices": sorted({*ATTACKS, *DEFENCES})},
    ),
    "side": ("Side", "", {"kind": "words", "choices": [side for side in SIDES if side]}),
    "position": ("Position", "", {"kind": "words", "choices": [*HIT_POSITIONS, *PIECES]}),
    "direction": ("Direction", "", {"kind": "words", "choices": list(DIRECTIONS)}),
}
_RANGE: dict[str, Any] = {"kind": "moments"}
_ANNOTATION: Words = {
    "distance": ("Distance", "To the partner, when it begins.", {**_RANGE, "unit": "m"}),
    "bearing": ("Bearing", "Of the partner, when it begins.", {**_RANGE, "unit": "°"}),
    "delay": (
        "Delay",
        "After the partner's beginning, if it is not the first move.",
        {**_RANGE, "unit": "s"},
    ),
    "threat": (
        "Threat",
        "How it can touch the partner: with a strike, or with the whole body.",
        {"shown": ["none", "a strike", "the whole body"]},
    ),
    "defends": ("Defends", "Arms may stop a strike.", {}),
    "response": ("Response", "Forced by a blow or a push, not chosen.", {}),
    "hands_over": ("Hands over", "Luggage leaves these hands, or comes into them.", {}),
    "enter": (
        "Entered at",
        "The share of an action that is over when a patch begins with it.",
        {"step": 0.05, "maximum": 0.95},
    ),
    "longest": ("Longest", "Longer actions are not used.", {"unit": "s", "step": 0.1}),
    "most": ("First tries", "Actions that are tried as a first move.", {"maximum": None}),
    "then": ("Later tries", "Actions that are tried after another one.", {"maximum": None}),
    "thing": ("Done by", "A mouse instead of a person.", {"shown": ["a person", "a mouse"]}),
}
_PATTERN: Words = {
    "moves": ("Moves", "In the order in which they start: the character, and its word.", {"kind": "moves"}),
    "name": ("Name", "Of the pattern.", {}),
    "threshold": ("Threshold", "Patches below this score are dropped.", {"step": 0.05}),
    "keep": ("Keep", "The most patches that are kept.", {"maximum": None}),
    "each": ("Of each", "The most patches that begin alike.", {}),
    "distance": ("Distance", "The best distance of the two.", {"unit": "m"}),
    "nearest": ("Nearest", "That two who stand may come to each other.", {"unit": "m"}),
    "pass_by": ("Passes by", "The distance within which a miss is exciting.", {"unit": "m"}),
    "overlap": ("Overlap", "That bodies may be in each other without a touch.", {"unit": "m"}),
    "contact_depth": (
        "Depth of a touch",
        "That bodies may be in each other where they touch.",
        {"unit": "m"},
    ),
    "contact_seconds": ("Length of a touch", "How long after it that holds.", {"unit": "s"}),
    "impulse": ("Impulse", "From which on a touch forces a response.", {"unit": "N s"}),
}
_PATTERN_WEIGHTS: Words = {
    "contact": ("Contact", "How much a good touch, or a close miss, counts.", {}),
    "relation": ("Relation", "How much distance and looks count.", {}),
    "timing": ("Timing", "How much it counts that moves meet in time.", {}),
}
_BEHAVIOURS: Words = {
    "approach": ("Approach", "How much it wants to come near.", {}),
    "punch": ("Punch", "How much it wants to land a punch.", {}),
    "kick": ("Kick", "How much it wants to land a kick.", {}),
    "evade": ("Evade", "How much it wants to get out of the way.", {}),
}
_TABLES: dict[str, tuple[type[BaseModel], Words]] = {
    "formation": (Formation, _FORMATION),
    "camera": (CameraTable, _CAMERA),
    "walls": (WallTable, _WALL),
    "cars": (CarTable, _CAR),
    "group": (Group, _GROUP),
    "targets": (TargetTable, _TARGET),
    "balls": (BallTable, _BALL),
    "obstacles": (ObstacleTable, _OBSTACLE),
    "inputs": (InputTable, _INPUT),
    "finale": (FinaleTable, _FINALE),
    "pins": (Pin, _PIN),
    "shots": (ShotTable, _SHOT),
    "markers": (MarkerTable, _MARKER),
}
_PATTERNS: dict[str, tuple[type[BaseModel], Words, set[str]]] = {
    "annotation": (Annotation, _ANNOTATION, {"actions"}),
    "actions": (Wanted, _TAGS, set()),
    "pattern": (Pattern, _PATTERN, {"weights"}),
    "weights": (PatternWeights, _PATTERN_WEIGHTS, set()),
}


def vocabulary() -> wire.Vocabulary:
    """All of it."""
    return wire.Vocabulary(
        version=__version__,
        scene=_controls(Scene, _SCENE, {*_SEPARATE_EDITORS, *_TABLES, "name"}),
        member=_controls(Member, _MEMBER, {"weights"}),
        groups={name: list(keys) for name, keys in KIND_KEYS.items()},
        controllers={name: list(keys) for name, keys in OWN_KEYS.items()},
        weights=[_weight(name) for name in sorted(WEIGHTS, key=_order(_WEIGHTS))],
        checkpoint=_controls(Checkpoint, _CHECKPOINT),
        motions=_controls(Motions, _MOTIONS),
        rules=_controls(RuleTable, _RULES),
        tables={key: _controls(model, words) for key, (model, words) in _TABLES.items()},
        patterns={key: _controls(model, words, apart) for key, (model, words, apart) in _PATTERNS.items()},
        usual_patterns={kind: _usual_patterns(group.patterns) for kind, group in GROUPS.items()},
        inputs={what: list(keys) for what, keys in INPUT_VALUES.items()},
        behaviours=[_behaviour(name) for name in BEHAVIOURS],
        styles={name: {key: getattr(style, key) for key in WEIGHTS} for name, style in STYLES.items()},
        outfits=outfits(),
        materials=list(MATERIALS),
        attacks=list(ATTACKS),
        defences=list(DEFENCES),
        positions=list(POSITIONS),
        combination=combination_table()[: len(DEFENCES)].tolist(),
        kinds=list(KINDS),
        sides=list(SIDES),
        directions=list(DIRECTIONS),
        terms=TERMS,
        formats=list(FORMATS),
    )


def _order(words: dict[str, Any]) -> Any:
    known = list(words)
    return lambda key: known.index(key) if key in known else len(known)


def _controls(model: type[BaseModel], words: Words, apart: set[str] | None = None) -> list[wire.Control]:
    schema = model.model_json_schema()
    keys = [key for key in schema["properties"] if key not in (apart or ())]
    made = [_control(key, schema, words.get(key)) for key in sorted(keys, key=_order(words))]
    return [control for control in made if control is not None]


def _control(
    key: str, schema: dict[str, Any], words: tuple[str, str, dict[str, Any]] | None
) -> wire.Control | None:
    """A control from what the scene accepts and what a person reads; None for a table of its own."""
    found = schema["properties"][key]
    plain = next((one for one in found.get("anyOf", [found]) if one.get("type") != "null"), found)
    kinds = {"number": "number", "integer": "whole", "boolean": "yes", "string": "word"}
    kind = kinds.get(plain.get("type", ""), "")
    if not kind and words is None:
        return None
    title, text, said = words or (key.replace("_", " ").capitalize(), "", {})
    values: dict[str, Any] = {
        "minimum": plain.get("minimum", plain.get("exclusiveMinimum")),
        "maximum": plain.get("maximum", plain.get("exclusiveMaximum")),
        "default": found.get("default"),
        "choices": plain.get("enum", []),
    }
    values |= said
    if values["choices"] and "kind" not in values:
        kind = "choice"
    return wire.Control(**{"key": key, "title": title, "help": text, "kind": kind or "word"} | values)


def _weight(name: str) -> wire.Control:
    title, text, said = _WEIGHTS.get(name, (name.replace("_", " ").capitalize(), "", _WEIGHT))
    return wire.Control(key=name, title=title, help=text, kind="number", **{"minimum": 0.0, **said})


def _usual_patterns(name: str) -> wire.UsualPatterns:
    table = tomllib.loads(scene_text(name))
    kept = {key: table[key] for key in ("motions", "annotation", "pattern")}
    return wire.UsualPatterns(name=name, **kept)


def _behaviour(name: str) -> wire.Control:
    title, text, said = _BEHAVIOURS.get(name, (name.replace("_", " ").capitalize(), "", {}))
    usual = BEHAVIOUR_WEIGHTS.get(name, 1.0)
    return wire.Control(
        key=name, title=title, help=text, kind="number", default=usual, **{"minimum": 0.0, **said}
    )
