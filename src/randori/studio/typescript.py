"""Write web/src/messages.ts from messages.py: `python -m randori.studio.typescript`."""

from pathlib import Path
from types import NoneType, UnionType
from typing import Annotated, Any, Literal, Union, get_args, get_origin

from pydantic import BaseModel

from randori.studio import messages

TARGET = Path(__file__).parents[3] / "web" / "src" / "messages.ts"
_PLAIN: dict[Any, str] = {str: "string", int: "number", float: "number", bool: "boolean", Any: "unknown"}
_PLAIN |= {NoneType: "null"}
_UNIONS = ("LiveRequest", "LiveAnswer", "JobAnswer")
_CONSTANTS = {"TAKE_MAGIC": '"RNDT"', "FRAMES_MAGIC": '"RNDF"'}


def generate() -> str:
    """The text of the file."""
    parts = [
        "// Made from src/randori/studio/messages.py by `python -m randori.studio.typescript`: edit that one."
    ]
    parts += [f"/*\n{(messages.__doc__ or '').strip()}\n*/"]
    parts += [f"export const {name} = {text};" for name, text in _CONSTANTS.items()]
    parts += [f"export const BUFFER_VERSION = {messages.BUFFER_VERSION};"]
    parts += [_interface(model) for model in _models()]
    parts += [f"export type {name} = {_type(getattr(messages, name))};" for name in _UNIONS]
    return "\n\n".join(parts) + "\n"


def _models() -> list[type[BaseModel]]:
    """The messages, in the order of the file."""
    kinds = [value for value in vars(messages).values() if isinstance(value, type)]
    return [kind for kind in kinds if issubclass(kind, messages.Message) and kind is not messages.Message]


def _interface(model: type[BaseModel]) -> str:
    """A message. The page may leave out what has a default; the server never does."""
    lines = [
        f"  {name}{_mark(model, name)}: {_type(field.annotation)};"
        for name, field in model.model_fields.items()
    ]
    words = (model.__doc__ or "").strip() if "__doc__" in vars(model) else ""
    head = f"/** {words.replace('*/', '')} */\n" if words else ""
    return head + f"export interface {model.__name__} {{\n" + "\n".join(lines) + "\n}"


def _mark(model: type[BaseModel], name: str) -> str:
    return "?" if model in REQUESTS and not model.model_fields[name].is_required() and name != "type" else ""


def _type(annotation: Any) -> str:
    if annotation in _PLAIN:
        return _PLAIN[annotation]
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


REQUESTS = {
    messages.OpenScene,
    messages.SceneText,
    messages.Edit,
    messages.EditScene,
    messages.PinOption,
    messages.SaveScene,
    messages.SaveTake,
    messages.Simulate,
    messages.Export,
    messages.OpenLibrary,
    messages.Segment,
    messages.EditSegments,
    messages.LiveStart,
    messages.LiveInput,
    messages.LivePlayhead,
    messages.LiveKeep,
    messages.LiveStop,
}


if __name__ == "__main__":
    TARGET.parent.mkdir(parents=True, exist_ok=True)
    TARGET.write_text(generate(), encoding="utf-8")
