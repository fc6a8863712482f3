"""Text from files and from people, made fit to be shown: nothing in it moves a cursor or hides a letter."""

import re

# control characters but tab and line feed, and those that turn the direction of writing
_UNSEEN_CHARACTERS = re.compile(
    "[\x00-\x08\x0b-\x1f\x7f-\x9f\u200e\u200f\u2028\u2029\u202a-\u202e\u2066-\u2069\ud800-\udfff]"
)


def visible(text: str) -> str:
    """The same text; what a terminal would obey stands there as its number."""
    return _UNSEEN_CHARACTERS.sub(_number, text)


def _number(found: re.Match[str]) -> str:
    code = ord(found.group())
    return f"\\x{code:02x}" if code < 256 else f"\\u{code:04x}"
