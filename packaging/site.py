"""A hook of MkDocs: adds the pages that are generated, and the pages of the repository's root.

`make docs` builds the site. Nothing here is imported by Randori.
"""

from __future__ import annotations

import ast
import inspect
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args, get_origin

import typer.main
from pydantic import BaseModel
from pydantic.fields import FieldInfo
from pydantic_core import PydanticUndefined

if TYPE_CHECKING:  # the tests read the generated pages without MkDocs
    from mkdocs.config.defaults import MkDocsConfig
    from mkdocs.structure.files import Files

ROOT = Path(__file__).parent.parent
OF_THE_ROOT = ("CHANGELOG.md", "CONTRIBUTING.md", "SECURITY.md")
_LINK = re.compile(r"\]\(docs/([^)]*)\)")
_UP = re.compile(r"\]\(((?:\.\./)+)(CHANGELOG|CONTRIBUTING|SECURITY|README)\.md")


def on_files(files: Files, config: MkDocsConfig) -> Files:
    """Add the pages that are in no folder of the documentation."""
    from mkdocs.structure.files import File

    sys.path.insert(0, str(ROOT / "src"))
    for name in OF_THE_ROOT:
        text = (ROOT / name).read_text(encoding="utf-8")
        files.append(File.generated(config, name, content=_LINK.sub(r"](\1)", text)))
    pages = {
        "reference/command-line.md": command_line,
        "reference/scene-keys.md": scene_keys,
        "reference/python.md": python_names,
    }
    for name, page in pages.items():
        files.append(File.generated(config, name, content=page()))
    return files


def on_page_markdown(markdown: str, page: Any, **_: Any) -> str:
    """Links to files of the root lead to their pages of the site."""

    def shorter(link: re.Match[str]) -> str:
        up = link[1][len("../") :]
        return f"]({up}{'index' if link[2] == 'README' else link[2]}.md"

    return _UP.sub(shorter, markdown)


def cell(text: object) -> str:
    """Text that is safe in a cell of a table."""
    return " ".join(str(text).split()).replace("|", "\\|").replace("<", "&lt;").replace("*", "\\*")


# The command line


def command_line() -> str:
    """Every command with its arguments and options."""
    from randori.cli import app

    lines = [
        "# The command line",
        "",
        "Generated from the program: `randori COMMAND --help` prints the same.",
    ]
    root = typer.main.get_command(app)
    lines += list(_commands(root, "randori"))
    return "\n".join(lines) + "\n"


def _commands(group: Any, path: str) -> list[str]:
    lines = []
    for name, command in getattr(group, "commands", {}).items():
        full = f"{path} {name}"
        if getattr(command, "commands", None):
            lines += _commands(command, full)
            continue
        lines += ["", f"## `{full}`", "", inspect.cleandoc(command.help or ""), ""]
        lines += ["| argument or option | what it is | default |", "|---|---|---|"]
        for parameter in command.params:
            if parameter.name == "help":
                continue
            names = ", ".join(f"`{one}`" for one in (*parameter.opts, *parameter.secondary_opts))
            if parameter.param_type_name == "argument":
                names = f"`{(parameter.metavar or parameter.name or '').upper()}`"
            default = parameter.default
            shown = "" if default in (None, False, ()) or callable(default) else f"`{default}`"
            shown = "required" if parameter.required else shown
            lines.append(f"| {names} | {cell(getattr(parameter, 'help', '') or '')} | {shown} |")
    return lines


# The keys of scenes


def scene_keys() -> str:
    """Every key of every table of a scene file, from the models that read it."""
    from randori.scene.scene import Scene

    lines = [
        "# Scene keys",
        "",
        "Generated from the models that check a scene file. [Scenes and takes](../scenes.md)",
    ]
    lines += ["explains them with examples.", ""]
    done: set[type[BaseModel]] = set()
    queue: list[tuple[str, type[BaseModel]]] = [("", Scene)]
    while queue:
        path, model = queue.pop(0)
        if model in done:
            continue
        done.add(model)
        lines += [f"## {f'`{path}`' if path else 'The top of the file'}", ""]
        lines += ["| key | value | default | what it is |", "|---|---|---|---|"]
        remarks = _remarks(model)
        for name, field in model.model_fields.items():
            if model is Scene and name in ("folder", "name", "numbers"):
                continue  # set when a file is read
            key = field.alias or name
            for inner in _models(field.annotation):
                many = get_origin(field.annotation) is tuple or "tuple" in str(field.annotation)
                inside = f"{path.strip('[]')}.{key}" if path else key
                queue.append((f"[[{inside}]]" if many else f"[{inside}]", inner))
            remark = field.description or remarks.get(name, "")
            for inner in _models(field.annotation) if not remark else ():
                remark = (inspect.getdoc(inner) or "").split("\n")[0]
            lines.append(f"| `{key}` | {_kind(field)} | {_default(field)} | {cell(remark)} |")
        lines.append("")
    return "\n".join(lines)


def _models(annotation: Any) -> list[type[BaseModel]]:
    if inspect.isclass(annotation) and issubclass(annotation, BaseModel):
        return [annotation]
    return [model for inner in get_args(annotation) for model in _models(inner)]


def _remarks(model: type[BaseModel]) -> dict[str, str]:
    """What each field is: the comment behind it in the source, else the studio's help for it."""
    found = _help_of_the_studio(model)
    for base in reversed(model.__mro__):
        if not (inspect.isclass(base) and issubclass(base, BaseModel)) or base is BaseModel:
            continue
        source = inspect.getsource(base)
        lines = source.splitlines()
        for statement in ast.parse(source).body[0].body:  # type: ignore[attr-defined]
            if not (isinstance(statement, ast.AnnAssign) and isinstance(statement.target, ast.Name)):
                continue
            within = "\n".join(lines[statement.lineno - 1 : statement.end_lineno])
            above = lines[statement.lineno - 2].strip()
            if match := re.search(r"  # (.*)", within):
                found[statement.target.id] = match[1]
            elif above.startswith("# ") and statement.target.id not in found:
                found[statement.target.id] = above.removeprefix("# ")
    return found


def _help_of_the_studio(model: type[BaseModel]) -> dict[str, str]:
    from randori.graph.motions import Motions
    from randori.scene.scene import Member, RuleTable, Scene
    from randori.studio import vocabulary

    words = {
        Scene: vocabulary._SCENE,
        Member: vocabulary._MEMBER,
        Motions: vocabulary._MOTIONS,
        RuleTable: vocabulary._RULES,
        **dict(vocabulary._TABLES.values()),
    }
    return {key: help for key, (_, help, _) in words.get(model, {}).items()}


def _kind(field: FieldInfo) -> str:
    """A type in a word or two."""
    return _type(field.annotation)


def _type(annotation: Any) -> str:
    origin, inner = get_origin(annotation), get_args(annotation)
    if annotation is type(None) or annotation is ...:
        return ""
    if annotation in (float, int):
        return "number" if annotation is float else "whole number"
    if annotation in (str, bool):
        return "text" if annotation is str else "true or false"
    if "Annotated" in str(origin):
        return _type(inner[0])
    if "Literal" in str(origin):
        return " ".join(f'`"{one}"`' for one in inner)
    if origin in (tuple, list):
        parts = list(dict.fromkeys(filter(None, map(_type, inner))))
        return "list of " + " and ".join(parts)
    if origin is dict:
        return "table"
    if inspect.isclass(annotation):
        return "table" if issubclass(annotation, BaseModel) else annotation.__name__
    return " or ".join(dict.fromkeys(filter(None, map(_type, inner))))


def _default(field: FieldInfo) -> str:
    if field.is_required():
        return "required"
    value = field.default
    if value is PydanticUndefined or value is None or value in ((), ""):
        return ""
    if isinstance(value, BaseModel):
        return ""
    if isinstance(value, bool):
        return f"`{str(value).lower()}`"
    return f"`{list(value) if isinstance(value, tuple) else value}`"


# The Python package


def python_names() -> str:
    """Every public name of the package, with its signature and docstring."""
    import randori

    lines = [
        "# The Python package",
        "",
        "Everything that `import randori` offers, generated from the code.",
        "",
    ]
    for name in randori.__all__:
        thing = getattr(randori, name)
        if name.startswith("__") or not (callable(thing) or inspect.isclass(thing)):
            continue
        lines += [f"## `randori.{name}`", "", *_signature(name, thing), *_docstring(thing)]
        for method, member in sorted(vars(thing).items()) if inspect.isclass(thing) else ():
            inside = member.__func__ if isinstance(member, classmethod | staticmethod) else member
            if method.startswith("_") or issubclass(thing, tuple):
                continue
            if isinstance(member, property) and member.fget is not None and member.__doc__:
                lines += [f"### `{name}.{method}`", "", *_docstring(member)]
            elif inspect.isfunction(inside) and inside.__doc__ and inside.__module__.startswith("randori"):
                lines += [f"### `{name}.{method}`", "", *_signature(method, inside), *_docstring(inside)]
    return "\n".join(lines) + "\n"


def _signature(name: str, thing: Any) -> list[str]:
    try:
        signature = str(inspect.signature(thing))
    except (TypeError, ValueError):
        return []
    signature = re.sub(r"randori\.(?:\w+\.)*", "", signature).replace("'", "")
    return ["```text", f"{name}{signature}", "```", ""]


def _docstring(thing: Any) -> list[str]:
    text = inspect.getdoc(thing) or ""
    return [re.sub(r"<(?=\w)", "&lt;", text), ""]
