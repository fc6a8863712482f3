"""The glossary has every term that the command line and the studio show.

A word that they show is either ordinary English, and listed in tests/plain_words.txt, or a term of the
glossary. `python tests/test_glossary.py` prints the words that are neither, for a person to sort: explain a
term in docs/glossary.md, and add a plain word with `python tests/test_glossary.py --plain WORD …`.
"""

import re
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import typer.main

from randori.cli import app
from randori.duel.search import RULES, TERMS
from randori.studio import vocabulary
from randori.timeline.limits import LIMITS

ROOT = Path(__file__).parents[1]
PLAIN = Path(__file__).with_name("plain_words.txt")
_WORD = re.compile(r"[A-Za-z][a-z]+(?:-[a-z]+)*")
_NOT_SHOWN = re.compile(r"/\*.*?\*/|(?<![:\"'`])//[^\n]*|\b(?:class|style): [\"`][^\"`]*[\"`]", re.DOTALL)
_STRING = re.compile(r'"((?:[^"\\\n]|\\.)*)"|`((?:[^`\\]|\\.)*)`')
_ENDINGS = ("", "s", "es", "d", "ed", "ing")  # forms of a word that count as the same word


def glossary_terms() -> list[str]:
    """The first column of every table of the glossary, one term at a time."""
    page = (ROOT / "docs" / "glossary.md").read_text(encoding="utf-8")
    rows = re.findall(r"^\| ([^|]+) \| [^|\n]+\|$(?!\n\|---)", page, re.MULTILINE)
    return [term.strip().lower() for row in rows for term in row.split(",")]


def command_line_texts() -> Iterator[str]:
    """Names, options and help texts of all commands."""
    commands: list[Any] = [typer.main.get_command(app)]
    while commands:
        command = commands.pop()
        yield from (command.name or "", command.help or "")
        for parameter in command.params:
            yield getattr(parameter, "help", None) or ""
            yield from (option.strip("-").replace("-", " ") for option in parameter.opts)
        commands += getattr(command, "commands", {}).values()


def studio_texts() -> Iterator[str]:
    """Titles and help texts of all values of a scene, and the sentences in the code of the page."""
    for words in vars(vocabulary).values():
        if isinstance(words, dict):
            for row in words.values():
                if isinstance(row, tuple) and all(isinstance(text, str) for text in row[:2]):
                    yield from row[:2]
    for path in sorted((ROOT / "web" / "src").rglob("*.ts")):
        if "messages" not in path.parts:
            for plain, template in _STRING.findall(_NOT_SHOWN.sub("", path.read_text(encoding="utf-8"))):
                text = re.sub(r"\$\{[^}]*\}", " ", plain or template)
                if is_sentence(text):
                    yield text


def is_sentence(text: str) -> bool:
    """Whether a string is for readers: it begins with a capital or has a blank, and is no code or style."""
    return bool(re.match(r"[A-Z]|.* ", text)) and not re.search(r"[:;{}<>=#]|\.\./|px|Element|\w\(", text)


def shown_words() -> set[str]:
    return {
        word.lower()
        for texts in (command_line_texts(), studio_texts())
        for text in texts
        for word in _WORD.findall(text)
    }


def unexplained_words() -> list[str]:
    """Words that are shown, and are neither plain nor in the glossary."""
    known = set(PLAIN.read_text(encoding="utf-8").split())
    explained = {word for term in glossary_terms() for word in re.findall(r"[a-z_-]+", term)}
    known |= {word + ending for word in explained for ending in _ENDINGS}
    known |= {
        word[:-1] + ending for word in explained if word[-1] in "ey" for ending in ("ing", "ies", "ied")
    }
    known |= {word.removesuffix("s") for word in explained}
    return sorted(shown_words() - known)


def test_every_shown_term_is_in_the_glossary() -> None:
    assert unexplained_words() == []


def test_scores_rules_and_measures_are_terms() -> None:
    terms = set(glossary_terms())
    assert {*TERMS, *RULES, *LIMITS} <= terms


def test_every_term_is_explained_once() -> None:
    terms = glossary_terms()
    assert len(terms) > 150
    assert sorted(term for term in set(terms) if terms.count(term) > 1) == [
        "hero",
        "path",
    ]  # also a measure, a score


def test_no_plain_word_is_a_term() -> None:
    words = PLAIN.read_text(encoding="utf-8").split()
    assert words == sorted(set(words))
    assert set(words).isdisjoint(glossary_terms())


def test_texts_are_told_from_code() -> None:
    assert is_sentence("Drop recordings here")
    assert is_sentence("Save")
    assert not is_sentence("row small: 8px")
    assert not is_sentence("click")


if __name__ == "__main__":
    if sys.argv[1:2] == ["--plain"]:
        words = {*PLAIN.read_text(encoding="utf-8").split(), *sys.argv[2:]}
        PLAIN.write_text("\n".join(sorted(words)) + "\n", encoding="utf-8")
    print(*unexplained_words(), sep="\n")
