"""Names of joints taken apart: the side of the body, and the bare word that is left.

Rigs decorate their names: a prefix or a suffix that all joints share (`Model_`, `mixamorig:`, `_JNT`, ` #0`),
words that mean "joint", a number for each joint. All of that is removed before words are compared.
"""

import re
import unicodedata
from collections.abc import Sequence

_PREFIX = re.compile(
    r"^(?i:mixamorig\d*|bip0*\d+|valvebiped|biped|cc_base|def|character\d*|j_bip|j_sec|j_adj)(?=[^a-z])"
)
_SIDE_WORD = re.compile(r"left|right", re.I)
_SIDE_LETTER = re.compile(r"(?:^|(?<=[ _.:\-]))[lrLR](?=$|[ _.:\-])|^[lrLR](?=[A-Z])")
_SEPARATORS = " _.:-|#"
# Words that say only that something is a joint, in the middle of the body, or which half of a bone.
_FILLERS = frozenset(
    [
        *("jnt", "joint", "joints", "bone", "bn", "skeleton", "armature", "mesh", "bip", "def", "b", "j"),
        *("c", "m", "x", "bend", "stretch"),
    ]
)
_SHARED = 0.9  # of the joints carry a decoration; the others are helpers such as a node above the hips
_NUMBER_AT_END = re.compile(r"[ _.:#-]+(\d+)[ _]*$")
# Japanese names of MMD models. A longer word comes before the words that it contains.
_JAPANESE = {
    "足首": "ankle",
    "手首": "wrist",
    "つま先": "toe",
    "ひじ": "elbow",
    "ひざ": "knee",
    "下半身": "lowerbody",
    "上半身": "spine",
    "センター": "center",
    "グルーブ": "groove",
    "腰": "waist",
    "首": "neck",
    "頭": "head",
    "肩": "shoulder",
    "腕": "arm",
    "足": "thigh",
    "指": "finger",
    "目": "eye",
    "左": "left ",
    "右": "right ",
}


def split_name(name: str, words: frozenset[str] = frozenset()) -> tuple[str, str]:
    """The side ("left", "right" or "") and the bare lower-case word of a joint's name.

    `words` are known words: a leading l or r without a separator is a side if one of them is left.
    """
    text = name.split(":")[-1].strip()
    while (stripped := _PREFIX.sub("", text).lstrip(" _.-")) and stripped != text:
        text = stripped
    if match := _SIDE_WORD.search(text) or _SIDE_LETTER.search(text):
        side = match.group()
        text = f"{text[: match.start()]} {text[match.end() :]}"
    elif text[:1] in ("l", "r") and bare(text[1:]) in words:
        # ASF writes `lfemur` and `rhand`
        side, text = text[0], text[1:]
    else:
        side = ""
    return {"l": "left", "r": "right", "": ""}[side[:1].lower()], _without_fillers(text)


def split_names(names: Sequence[str], words: frozenset[str] = frozenset()) -> list[tuple[str, str]]:
    """`split_name` of all joints of one rig, without what their names share."""
    return [split_name(name, words) for name in strip_shared([_translate(name) for name in names])]


def strip_shared(names: Sequence[str]) -> list[str]:
    """The names without a prefix, a suffix or a running number that nearly all of them have."""
    plain = list(names)
    while len(plain) >= 8:
        shorter = _without_running_number(_without_shared_end(_without_shared_start(plain)))
        if shorter == plain:
            break
        plain = shorter
    return plain


def bare(text: str) -> str:
    """Lower-case letters and digits only, numbers without leading zeros: `spine_01` is `spine1`."""
    return re.sub(r"(?<!\d)0+(?=\d)", "", re.sub(r"[^a-z0-9]", "", text.lower()))


def _translate(name: str) -> str:
    """A name in Latin letters, as far as its words are known."""
    text = unicodedata.normalize("NFKC", name)
    if text.isascii():
        return text
    for word, latin in _JAPANESE.items():
        text = text.replace(word, latin)
    return text


def _without_fillers(text: str) -> str:
    tokens = [token for token in re.split(r"[ _.:\-|#]+", text) if token]
    kept = [token for token in tokens if token.lower() not in _FILLERS]
    word = bare(" ".join(kept or tokens))
    for ending in ("bend", "stretch", "jnt"):
        if word.endswith(ending) and len(word) > len(ending):
            word = word.removesuffix(ending)
    return word


def _without_shared_start(names: list[str]) -> list[str]:
    """Without the first letters that nearly all names have, up to where a new word begins."""
    for length in range(max(map(len, names)) - 1, 0, -1):
        starts: dict[str, int] = {}
        for name in names:
            if len(name) > length and _word_begins(name, length):
                starts[name[:length]] = starts.get(name[:length], 0) + 1
        if starts:
            start, count = max(starts.items(), key=lambda item: item[1])
            if count >= _SHARED * len(names):
                return [
                    name[length:].lstrip(_SEPARATORS) or name if name.startswith(start) else name
                    for name in names
                ]
    return names


def _word_begins(name: str, place: int) -> bool:
    """Whether a new word of a name begins at a place: after a separator, or with a capital."""
    before, here = name[place - 1], name[place]
    return before in _SEPARATORS or here in _SEPARATORS or (here.isupper() and not before.isupper())


def _without_shared_end(names: list[str]) -> list[str]:
    """Without a last word that nearly all names have."""
    ends: dict[str, int] = {}
    for name in names:
        if match := re.search(r"[ _.:\-|#]+[^ _.:\-|#]+$", name):
            ends[match.group()] = ends.get(match.group(), 0) + 1
    if not ends:
        return names
    end, count = max(ends.items(), key=lambda item: item[1])
    return [name.removesuffix(end) or name for name in names] if count >= _SHARED * len(names) else names


def _without_running_number(names: list[str]) -> list[str]:
    """Without a number at the end that is another one for each joint, as some exporters add it."""
    numbers = [match.group(1) for name in names if (match := _NUMBER_AT_END.search(name))]
    if len(numbers) >= _SHARED * len(names) and len(set(numbers)) == len(numbers):
        return [_NUMBER_AT_END.sub("", name) or name for name in names]
    return names
