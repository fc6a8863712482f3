"""Write web/src/messages/ from messages/: `python -m randori.studio.typescript`."""

from collections.abc import Iterator
from pathlib import Path
from types import ModuleType, NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel

from randori.studio import messages
from randori.studio.messages import base, library, live, scenes, takes, work

TARGET = Path(__file__).parents[3] / "web" / "src" / "messages"
_ROOMS = (base, scenes, takes, work, library, live)
_PLAIN_TYPES: dict[Any, str] = {
    str: "string",
    int: "number",
    float: "number",
    bool: "boolean",
    Any: "unknown",
}
_PLAIN_TYPES |= {NoneType: "null"}
_UNIONS = ("LiveRequest", "LiveAnswer", "JobAnswer")
_CONSTANTS = {"TAKE_MAGIC": '"RNDT"', "BUFFER_VERSION": str(takes.BUFFER_VERSION)}
_CONSTANTS |= {"FRAMES_MAGIC": '"RNDF"', "COSTUME_MAGIC": '"RNDC"'}
_MADE_NOTICE = (
    "// Made from src/randori/studio/messages/{} by `python -m randori.studio.typescript`: edit that one."
)


def generate() -> dict[str, str]:
    """The texts of the files, by their names."""
    files = {f"{_name(room)}.ts": _room(room) for room in _ROOMS}
    exports = "\n".join(f'export * from "./{_name(room)}";' for room in _ROOMS)
    about = f"/*\n{(messages.__doc__ or '').strip()}\n*/"
    return files | {"index.ts": "\n\n".join([_MADE_NOTICE.format("__init__.py"), about, exports]) + "\n"}


def _room(room: ModuleType) -> str:
    models, unions = _models(room), [name for name in _UNIONS if name in vars(room)]
    parts = [_MADE_NOTICE.format(f"{_name(room)}.py"), f"/** {(room.__doc__ or '').strip()} */"]
    parts += filter(None, [_imports(room, models, unions)])
    parts += [f"export const {name} = {text};" for name, text in _CONSTANTS.items() if name in vars(room)]
    parts += [_interface(model) for model in models]
    parts += [f"export type {name} = {_type(vars(room)[name])};" for name in unions]
    return "\n\n".join(parts) + "\n"


def _name(room: ModuleType) -> str:
    return room.__name__.rpartition(".")[2]


def _models(room: ModuleType) -> list[type[BaseModel]]:
    """The messages of a room, in the order of the file."""
    kinds = [value for value in vars(room).values() if isinstance(value, type)]
    return [
        kind
        for kind in kinds
        if issubclass(kind, base.Message)
        and kind.__module__ == room.__name__
        and kind not in (base.Message, base.Request)
    ]


def _imports(room: ModuleType, models: list[type[BaseModel]], unions: list[str]) -> str:
    """The imports that a room needs from the others."""
    needed = [field.annotation for model in models for field in model.model_fields.values()]
    needed += [vars(room)[name] for name in unions]
    found = {kind for annotation in needed for kind in _mentioned(annotation)}
    lines = []
    for other in _ROOMS:
        names = sorted(kind.__name__ for kind in found if kind.__module__ == other.__name__)
        if names and other is not room:
            lines.append(f'import type {{ {", ".join(names)} }} from "./{_name(other)}";')
    return "\n".join(lines)


def _mentioned(annotation: Any) -> Iterator[type[BaseModel]]:
    """The messages that a type is made of."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        yield annotation
    for inner in get_args(annotation):
        yield from _mentioned(inner)


def _interface(model: type[BaseModel]) -> str:
    lines = [
        f"  {name}{_mark(model, name)}: {_type(field.annotation)};"
        for name, field in model.model_fields.items()
    ]
    words = (model.__doc__ or "").strip() if "__doc__" in vars(model) else ""
    head = f"/** {words.replace('*/', '')} */\n" if words else ""
    return head + f"export interface {model.__name__} {{\n" + "\n".join(lines) + "\n}"


def _mark(model: type[BaseModel], name: str) -> str:
    """The page may leave out what has a default; the server never does."""
    optional = issubclass(model, base.Request) and not model.model_fields[name].is_required()
    return "?" if optional and name != "type" else ""


def _type(annotation: Any) -> str:
    if annotation in _PLAIN_TYPES:
        return _PLAIN_TYPES[annotation]
    origin, inner = get_origin(annotation), get_args(annotation)
    if origin is Annotated:
        return _type(inner[0])
    if origin is Literal:
        return " | ".join(f'"{word}"' for word in inner)
    if origin in (Union, UnionType):
        return " | ".join(_type(one) for one in inner)
    if origin is list:
        item = _type(inner[0])
        return f"({item})[]" if " " in item and not item.startswith("[") else f"{item}[]"
    if origin is tuple:
        return f"[{', '.join(_type(one) for one in inner)}]"
    if origin is dict:
        return f"Record<{_type(inner[0])}, {_type(inner[1])}>"
    return str(annotation.__name__)


if __name__ == "__main__":
    TARGET.mkdir(parents=True, exist_ok=True)
    for name, text in generate().items():
        (TARGET / name).write_text(text, encoding="utf-8")
