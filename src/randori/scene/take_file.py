"""A take in one file: an `.npz` of plain arrays and words that needs nothing else to be read."""

import os
from base64 import b64decode, b64encode
from dataclasses import asdict, fields
from typing import Any

import numpy as np

from randori.capture.actions import Tags
from randori.characters.character import Costume
from randori.formats.arrays import (
    Foreign,
    expect,
    holds_array,
    is_json,
    read_arrays,
    read_words,
    with_words,
    write_arrays,
)
from randori.formats.rates import FASTEST
from randori.formats.store import CLIP_TYPES, CLIP_WORDS, clip_arrays, clip_words, to_clip
from randori.graph.library_file import to_library_clip, to_record
from randori.motion.placement import Placement
from randori.render.camera import Focus
from randori.render.stage import Prop
from randori.scene.take import Role, Take, View
from randori.timeline.quality import Quality
from randori.timeline.timeline import Decision, Event, Option, Placed

KIND, SCHEMA = "randori take", 2

# Of all characters, one after the other; the metadata has the number of rows of each.
_TYPES: dict[str, np.dtype[Any]] = CLIP_TYPES | {
    "provenance": np.dtype("<i8"),
    "joins": np.dtype("<i8"),
    "simulated": np.dtype("?"),
    "option_start": np.dtype("<i8"),
    "option_action": np.dtype("<i8"),
    "option_rule": np.dtype("<i8"),
    "option_terms": np.dtype("<f8"),
}
_MOST_WORDS = 256 * 1024**2  # bytes: a minute of two fighters needs 1 MB
_MOST_ROLES = 10_000
_MOST_TICKS = 2**31
_LARGEST_VALUE = 1e9  # metres, radians, or anything else
_PLACED_FIELDS = {"action": int, "first": int, "start": int, "stop": int, "cause": str, "place": list}
_DECISION = {
    "tick": int,
    "who": int,
    "action": int,
    "depth": int,
    "competitive": float,
    "cooperative": float,
    "unseen": list,
    "line": list,
    "goes_on": bool,
}
_PROP: dict[str, type] = {"start": list, "stop": list, "radius": list, "colour": list, "path": list}
_COSTUME = {"name": str, "content": str, "height": float, "hidden": list, "parts": list}
_DIGITS = 4  # after the point, of metres at which things are seen
_EVENT = {"tick": int, "kind": str, "who": int, "whom": int, "what": str, "part": str, "strength": float}


def write(path: str | os.PathLike[str], take: Take) -> None:
    """Write a take so that `read` gives the same one."""
    rules = sorted({option.rule for decision in take.decisions for option in decision.options})
    terms = list(
        dict.fromkeys(
            term for decision in take.decisions for option in decision.options for term in option.terms
        )
    )
    options = [option for decision in take.decisions for option in decision.options]
    words = {
        "kind": KIND,
        "schema": SCHEMA,
        "title": take.title,
        "fps": take.fps,
        "ticks": take.ticks,
        "roles": [_role_words(role) for role in take.roles],
        "events": [asdict(event) for event in take.events],
        "decisions": [{key: getattr(decision, key) for key in _DECISION} for decision in take.decisions],
        "rules": rules,
        "terms": terms,
        "made from": take.provenance,
        "quality": take.measured.as_dict(),
        "view": _view_words(take.view),
        "props": [_prop_words(prop) for prop in take.props],
    }
    rows = [clip_arrays(role.clip) for role in take.roles]
    arrays = {name: np.concatenate([row[name] for row in rows]) for name in rows[0] if name != "rotations"}
    arrays["rotations"] = np.concatenate([row["rotations"].reshape(-1, 4) for row in rows])
    arrays["provenance"] = np.concatenate([role.provenance for role in take.roles])
    arrays["joins"] = np.concatenate([role.joins for role in take.roles])
    arrays["simulated"] = np.concatenate([role.simulated for role in take.roles])
    counts = [len(decision.options) for decision in take.decisions]
    arrays["option_start"] = np.concatenate([[0], np.cumsum(counts)])
    arrays["option_action"] = np.array([option.action for option in options], dtype=np.int64)
    arrays["option_rule"] = np.array([rules.index(option.rule) for option in options], dtype=np.int64)
    arrays["option_terms"] = np.array(
        [[option.terms.get(term, np.nan) for term in terms] for option in options], dtype=float
    ).reshape(len(options), len(terms))
    write_arrays(path, with_words(words, arrays, _TYPES), _to_take)


def read(path: str | os.PathLike[str]) -> Take:
    """The take that `write` wrote."""
    return read_arrays(path, "a take", _TYPES, _to_take)


def is_take(path: str | os.PathLike[str]) -> bool:
    """Whether a file looks like a take rather than like a recording or a library."""
    return os.fspath(path).lower().endswith(".npz") and holds_array(path, "provenance")


def _role_words(role: Role) -> dict[str, Any]:
    return {
        "name": role.name,
        "outfit": role.outfit,
        "frames": len(role.clip),
        "joins": len(role.joins),
        "clip": clip_words(role.clip),
        "placed": [
            {
                "action": one.action,
                "first": one.first,
                "start": one.start,
                "stop": one.stop,
                "cause": one.cause,
                "place": [one.placement.x, one.placement.z, one.placement.yaw],
            }
            for one in role.placed
        ],
        "tags": [asdict(tags) for tags in role.tags],
        "sources": [asdict(source) for source in role.sources],
        **({} if role.costume is None else {"costume": _costume_words(role.costume)}),
    }


def _costume_words(costume: Costume) -> dict[str, Any]:
    """Your own character, with its whole file."""
    words = asdict(costume) | {"content": b64encode(costume.content).decode()}
    return words | {"hidden": list(costume.hidden), "parts": [list(pair) for pair in costume.parts]}


def _to_costume(row: Any) -> Costume | None:
    if row is None:
        return None
    _check(row, _COSTUME, "the character of a role")
    texts = [*row["hidden"], *(word for pair in row["parts"] if is_json(pair, list) for word in pair)]
    expect(all(is_json(text, str) for text in texts), "names that are text")
    expect(all(is_json(pair, list) and len(pair) == 2 for pair in row["parts"]), "parts with their joints")
    try:
        content = b64decode(row["content"], validate=True)
    except ValueError:
        raise Foreign("expected the file of a character") from None
    parts = tuple((part, joint) for part, joint in row["parts"])
    return Costume(row["name"], content, row["height"], tuple(row["hidden"]), parts)


def _to_take(arrays: dict[str, np.ndarray]) -> Take:
    """A take from arrays of the right types, after everything about them has been checked."""
    kinds = {"title": str, "fps": float, "ticks": int, "roles": list, "events": list, "decisions": list}
    kinds |= {"rules": list, "terms": list, "made from": dict, "quality": dict}
    words = read_words(arrays["words"], _MOST_WORDS, KIND, SCHEMA, kinds)
    expect(0 < len(words["roles"]) <= _MOST_ROLES, f"1 to {_MOST_ROLES} characters")
    expect(0 <= words["ticks"] < _MOST_TICKS, "a number of ticks")
    expect(0.0 < words["fps"] <= FASTEST, f"fps between 0 and {FASTEST:g}")
    roles = _to_roles(words["roles"], arrays)
    for role in roles:
        expect(len(role.clip) == words["ticks"] + 1, "as many frames as ticks, and one more")
    events = tuple(_to_event(row, len(roles)) for row in words["events"])
    decisions = _to_decisions(words, arrays, roles)
    quality = _to_quality(words["quality"])
    return Take(
        words["title"],
        words["fps"],
        words["ticks"],
        roles,
        events,
        decisions,
        words["made from"],
        quality,
        # takes of earlier versions have neither
        tuple(_to_prop(row, words["fps"]) for row in words.get("props", [])),
        _to_view(words["view"], words["fps"]) if "view" in words else View(),
    )


def _to_roles(rows: list[Any], arrays: dict[str, np.ndarray]) -> tuple[Role, ...]:
    """The characters, each with its stretch of the arrays."""
    kinds = {"name": str, "outfit": int, "frames": int, "joins": int, "clip": dict}
    kinds |= {"placed": list, "tags": list, "sources": list}
    left = dict(arrays)

    def cut(name: str, count: int) -> np.ndarray:
        """The next rows of an array."""
        expect(0 <= count <= len(left[name]), f"more rows of {name}")
        taken, left[name] = left[name][:count], left[name][count:]
        return taken

    roles = []
    for row in rows:
        expect(is_json(row, dict), "a character")
        _check({key: value for key, value in row.items() if key != "costume"}, kinds, "a character")
        always = {key: value for key, value in row["clip"].items() if key not in ("girth", "flesh")}
        _check(always, CLIP_WORDS, "the clip of a character")
        joints, frames = len(row["clip"]["joints"]), row["frames"]
        expect(joints > 0 and frames > 0, "a character with joints and frames")
        own = {name: cut(name, joints) for name in ("parents", "offsets", "tips", "reference")}
        own["root_position"] = cut("root_position", frames)
        turned = cut("rotations", frames * joints)
        expect(turned.shape == (frames * joints, 4), "rotations as quaternions")
        own["rotations"] = turned.reshape(frames, joints, 4)
        sources = tuple(to_library_clip(source) for source in row["sources"])
        tags = tuple(to_record(item, Tags, "the tags of an action") for item in row["tags"])
        provenance = cut("provenance", frames)
        expect(provenance.shape == (frames, 4), "provenance of four columns")
        shown, blended = provenance[:, 0], provenance[:, 2]
        known = (shown >= 0) & (shown < len(sources)) & (blended >= -1) & (blended < len(sources))
        expect(bool(known.all()), "sources that are listed")
        joins = cut("joins", row["joins"])
        expect(joins.ndim == 1 and bool(((joins >= 0) & (joins <= frames)).all()), "joins within the frames")
        simulated = cut("simulated", frames)
        expect(simulated.shape == (frames,), "one word a frame on whether it is simulated")
        placed = tuple(_to_placed(item, len(tags)) for item in row["placed"])
        roles.append(
            Role(
                row["name"],
                row["outfit"],
                to_clip(row["clip"], own),
                placed,
                tags,
                sources,
                provenance,
                joins,
                simulated,
                _to_costume(row.get("costume")),
            )
        )
    for name in ("parents", "root_position", "rotations", "provenance", "joins", "simulated"):
        expect(len(left[name]) == 0, f"no more rows of {name} than its characters have")
    return tuple(roles)


def _to_placed(row: Any, actions: int) -> Placed:
    _check(row, _PLACED_FIELDS, "a placed action")
    place = row["place"]
    expect(len(place) == 3 and all(_is_number(value) for value in place), "a place of three numbers")
    expect(-1 <= row["action"] < actions, "an action that is listed")
    expect(0 <= row["first"] < _MOST_TICKS, "a placed action from a frame on")
    expect(0 <= row["start"] <= row["stop"] < _MOST_TICKS, "a placed action from tick to tick")
    return Placed(row["action"], row["first"], row["start"], row["stop"], Placement(*place), row["cause"])


def _is_number(value: object) -> bool:
    """Whether it is a number that can be worked with."""
    return is_json(value, float) and abs(value) <= _LARGEST_VALUE  # type: ignore[arg-type]


def _to_event(row: Any, roles: int) -> Event:
    expect(is_json(row, dict) and "point" in row, "an event")
    point: Any = row["point"]
    _check({key: value for key, value in row.items() if key != "point"}, _EVENT, "an event")
    expect(-1 <= row["who"] < roles and -1 <= row["whom"] < roles, "an event of a character in the take")
    expect(
        0 <= row["tick"] < _MOST_TICKS and _is_number(row["strength"]), "an event in a tick, of some strength"
    )
    if point is not None:
        whole = is_json(point, list) and len(point) == 3 and all(_is_number(value) for value in point)
        expect(whole, "a point of three numbers")
        point = tuple(point)
    return Event(**{key: row[key] for key in _EVENT}, point=point)


def _to_decisions(
    words: dict[str, Any], arrays: dict[str, np.ndarray], roles: tuple[Role, ...]
) -> tuple[Decision, ...]:
    """The decisions with their options."""
    rows, rules, terms = words["decisions"], words["rules"], words["terms"]
    expect(all(is_json(word, str) for word in (*rules, *terms)), "rules and terms that are text")
    start, action = arrays["option_start"], arrays["option_action"]
    rule, values = arrays["option_rule"], arrays["option_terms"]
    count = len(action)
    expect(start.shape == (len(rows) + 1,) and rule.shape == (count,), "as many options as decisions have")
    expect(values.shape == (count, len(terms)), "a number for every term")
    expect(not np.isinf(values).any(), "terms without infinity")
    expect(bool(start[0] == 0 and start[-1] == count and (np.diff(start) >= 0).all()), "options in order")
    expect(bool(((rule >= 0) & (rule < len(rules))).all()), "rules that are listed")
    decisions = []
    for number, row in enumerate(rows):
        _check(row, _DECISION, "a decision")
        expect(0 <= row["who"] < len(roles), "a decision of a character in the take")
        expect(-1 <= row["action"] < len(roles[row["who"]].tags), "a decision for an action that is listed")
        expect(0 <= row["tick"] < _MOST_TICKS and 0 <= row["depth"] < _MOST_TICKS, "a decision in a tick")
        for who in row["unseen"]:
            expect(is_json(who, int) and 0 <= who < len(roles), "characters of the take that are not seen")
        for step in row["line"]:
            expect(is_json(step, list) and len(step) == 3, "a line of three numbers each")
            expect(all(is_json(value, int) for value in step), "a line of whole numbers")
            expect(0 <= step[0] < len(roles), "a line of characters of the take")
            expect(-1 <= step[1] < len(roles[step[0]].tags), "a line of actions that are listed")
            expect(0 <= step[2] < _MOST_TICKS, "a line in ticks")
        chosen = slice(int(start[number]), int(start[number + 1]))
        listed = (action[chosen] >= -1) & (action[chosen] < len(roles[row["who"]].tags))
        expect(bool(listed.all()), "options that are listed")
        options = tuple(
            Option(
                int(action[k]),
                rules[rule[k]],
                {term: float(value) for term, value in zip(terms, values[k]) if not np.isnan(value)},
            )
            for k in range(int(start[number]), int(start[number + 1]))
        )
        row = row | {"unseen": tuple(row["unseen"]), "line": tuple(tuple(step) for step in row["line"])}
        decisions.append(Decision(**row, options=options))
    return tuple(decisions)


def _view_words(view: View) -> dict[str, Any]:
    """The view; numbers of a focus are rounded, as the rest is invisible."""
    focus = np.zeros((0, 5))
    if view.focus is not None:
        focus = view.focus.at(np.arange(len(view.focus.path)) / view.focus.fps)
    return {
        "azimuth": view.azimuth,
        "elevation": view.elevation,
        "follow": view.follow,
        "focus": np.round(focus, _DIGITS).tolist(),
        "least": 0.0 if view.focus is None else view.focus.least,
        "front": [] if view.focus is None or view.focus.front is None else [view.focus.front],
    }


def _to_view(row: Any, fps: float) -> View:
    expect(is_json(row, dict) and isinstance(row.get("follow"), bool), "a view that says whether it follows")
    kinds = {"azimuth": float, "elevation": float, "focus": list, "front": list, "least": float}
    _check({key: value for key, value in row.items() if key != "follow"}, kinds, "a view")
    focus = None
    if row["focus"]:
        rows = _to_rows(row["focus"], 5, "a focus")
        front = _to_rows([row["front"]], len(row["front"]), "the front of a focus")[0].tolist()
        focus = Focus(
            rows[:, :2], rows[:, 2], rows[:, 3], fps, front[0] if front else None, row["least"], rows[:, 4]
        )
    return View(row["azimuth"], row["elevation"], row["follow"], focus)


def _prop_words(prop: Prop) -> dict[str, Any]:
    numbers = {key: np.round(getattr(prop, key), _DIGITS).tolist() for key in _PROP if key != "colour"}
    return numbers | {"colour": list(prop.colour)}


def _to_prop(row: Any, fps: float) -> Prop:
    _check(row, _PROP, "a thing")
    start, stop = (_to_rows(row[key], 3, f"{key} of a thing") for key in ("start", "stop"))
    radius, colour = (_to_rows([row[key]], len(row[key]), key)[0] for key in ("radius", "colour"))
    expect(len(start) == len(stop) == len(radius) and len(colour) == 3, "as many starts, stops and radii")
    red, green, blue = colour.tolist()
    path = _to_rows(row["path"], 4, "the path of a thing")
    expect(len(path) > 0, "a place of a thing")
    return Prop(start, stop, radius, (red, green, blue), path, fps)


def _to_rows(rows: list[Any], width: int, what: str) -> np.ndarray:
    """(N, width) numbers that are finite."""
    whole = all(is_json(row, list) and len(row) == width for row in rows)
    expect(whole and all(is_json(value, float) for row in rows for value in row), f"{what} in numbers")
    numbers = np.array(rows, dtype=float).reshape(len(rows), width)
    expect(bool(np.isfinite(numbers).all()), f"{what} in finite numbers")
    return numbers


def _to_quality(row: dict[str, Any]) -> Quality:
    """The figures, each of its type."""
    expect(set(row) == {field.name for field in fields(Quality)}, "the figures of a quality report")
    for field in fields(Quality):
        kind = _type_of(field.type)
        expect(is_json(row[field.name], kind), f"{field.name} to be a {kind.__name__}")
    expect(all(is_json(value, float) for value in row["damage"]), "damage in numbers")
    return Quality(**row | {"damage": tuple(row["damage"])})


def _type_of(annotation: Any) -> type:
    """The JSON type for a field's type."""
    name = getattr(annotation, "__name__", str(annotation))
    return {"float": float, "int": int, "str": str, "tuple": list, "dict": dict}[name.split("[")[0]]


def _check(row: Any, kinds: dict[str, type], what: str) -> None:
    """A row has exactly these keys with values of these types."""
    expect(is_json(row, dict) and set(row) == set(kinds), f"the fields of {what}")
    for key, kind in kinds.items():
        expect(is_json(row[key], kind), f"{key} of {what} to be a {kind.__name__}")
