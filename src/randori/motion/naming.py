"""Names of joints taken apart: the side of the body, and the bare word that is left.

Rigs decorate their names: a prefix or a suffix that all joints share (`Model_`, `mixamorig:`, `_JNT`, ` #0`),
words that mean "joint", a number for each joint. All of that is removed before words are compared.
"""

import re
import unicodedata
from collections.abc import Sequence

_PREFIX = re.compile(
    r"^(?i:mixamorig\d*|bip0*\d+|valvebiped|biped|cc_base|def|org|character\d*|j_bip|j_sec|j_adj)(?=[^a-z])"
)
_SIDES = {
    "left": ("left", "l", "lt", "lf", "lft", "izq", "izquierda", "izquierdo", "gauche", "links", "esq"),
    "right": ("right", "r", "rt", "rgt", "der", "derecha", "derecho", "droite", "rechts", "dir"),
}
_SIDE_OF = {word: side for side, words in _SIDES.items() for word in words}
_SHORT = "[lr]|[lr]t|lf|lft|rgt"  # forms that can stand beside a word without a separator
_SIDE_WORD = re.compile(r"left|right", re.I)
_SIDE_TOKEN = re.compile(
    rf"(?:^|(?<=[ _.:\-]))(?i:{'|'.join(sorted(_SIDE_OF, key=len, reverse=True))})(?=$|[ _.:\-])"
)
_SIDE_BESIDE = re.compile(rf"^(?:(?i:{_SHORT}))(?=[A-Z])|(?<=[a-z0-9])(?:L|R|Lt|Rt|Lf|Lft|Rgt)$")
# Letters for left and right in other languages. A rig uses them if it has no other sides.
_FOREIGN_LETTERS = (("g", "d"), ("e", "d"), ("i", "d"), ("s", "d"))
_SEPARATORS = " _.:-|#"
# Words that say only that something is a joint, in the middle of the body, or which half of a bone.
_FILLERS = frozenset(
    [
        *("jnt", "joint", "joints", "bone", "bn", "skeleton", "armature", "mesh", "bip", "def", "b", "j"),
        *("c", "m", "x", "bend", "stretch", "ref"),
    ]
)
_SHARED_NAMES = 0.9  # of the joints carry a decoration; the others are helpers such as a node above the hips
_FEWEST_SIDED = 12  # joints: two arms and two legs
_NUMBER_AT_END = re.compile(r"[ _.:#-]+(\d+)[ _]*$")
# Words of Japanese (MMD) and Chinese names. A longer word comes before the words that it contains.
_CHARACTERS = {
    "足首": "ankle",
    "脚踝": "ankle",
    "手腕": "wrist",
    "手首": "wrist",
    "つま先": "toe",
    "足先": "toe",
    "脚趾": "toe",
    "脚尖": "toe",
    "手掌": "hand",
    "ひじ": "elbow",
    "ひざ": "knee",
    "手肘": "elbow",
    "膝盖": "knee",
    "锁骨": "clavicle",
    "大腿": "thigh",
    "小腿": "shin",
    "大臂": "upperarm",
    "小臂": "forearm",
    "上臂": "upperarm",
    "前臂": "forearm",
    "手臂": "arm",
    "骨盆": "pelvis",
    "脊椎": "spine",
    "脊柱": "spine",
    "胸部": "chest",
    "颈部": "neck",
    "脖子": "neck",
    "头部": "head",
    "下半身": "lowerbody",
    "上半身": "spine",
    "センター": "center",
    "グルーブ": "groove",
    "腰": "waist",
    "胸": "chest",
    "首": "neck",
    "颈": "neck",
    "頭": "head",
    "头": "head",
    "肩": "shoulder",
    "肘": "elbow",
    "膝": "knee",
    "腕": "arm",
    "足": "thigh",
    "腿": "leg",
    "脚": "foot",
    "手": "hand",
    "指": "finger",
    "目": "eye",
    "左": "left ",
    "右": "right ",
}
# Whole words of other languages, without accents: Spanish, French, German, Italian, Portuguese.
_FOREIGN = {
    word: english
    for english, words in {
        "hips": "cadera caderas bassin hanche hanches becken huefte hufte bacino anca quadril pelve pelvi",
        "spine": "columna espina colonne dos wirbelsaeule wirbelsaule ruecken rucken schiena colonna coluna",
        "chest": "pecho torso poitrine torse brust brustkorb petto torace peito",
        "neck": "cuello cou hals nacken collo pescoco",
        "head": "cabeza tete kopf testa cabeca",
        "clavicle": "clavicula clavicule schluesselbein schlusselbein clavicola",
        "shoulder": "hombro epaule schulter spalla ombro",
        "arm": "brazo bras arm braccio braco",
        "upperarm": "oberarm",
        "forearm": "antebrazo avantbras unterarm avambraccio antebraco",
        "elbow": "codo coude ellbogen ellenbogen gomito cotovelo",
        "hand": "mano main mao",
        "wrist": "muneca poignet handgelenk polso pulso punho",
        "thigh": "muslo cuisse oberschenkel coscia coxa",
        "leg": "pierna jambe bein gamba perna",
        "shin": "pantorrilla mollet unterschenkel wade polpaccio panturrilha canela tibia",
        "knee": "rodilla genou knie ginocchio joelho",
        "foot": "pie pied fuss piede pe",
        "ankle": "tobillo cheville knoechel knochel caviglia tornozelo",
        "toes": "dedos orteil orteils zehen zeh zehe dita puntera ballen",
    }.items()
    for word in words.split()
}
# Words before which a joint's own name stands: `arm shoulder 1`, `leg knee`, `head neck lower`.
_OF_LIMB = frozenset(["arm", "leg", "head", "root"])


def split_name(name: str, words: frozenset[str] = frozenset()) -> tuple[str, str]:
    """The side ("left", "right" or "") and the bare lower-case word of a joint's name.

    `words` are known words: a leading l or r without a separator is a side if one of them is left.
    """
    text = name.split(":")[-1].strip()
    while (stripped := _PREFIX.sub("", text).lstrip(" _.-")) and stripped != text:
        text = stripped
    match = _SIDE_WORD.search(text) or _SIDE_TOKEN.search(text)
    if match is None and bare(text) not in words:  # LEG and ROOT are whole words
        match = _SIDE_BESIDE.search(text)
    if match:
        side = match.group()
        text = f"{text[: match.start()]} {text[match.end() :]}"
    elif text[:1] in tuple("lrLR") and bare(text[1:]) in words:
        # ASF writes `lfemur` and `rhand`, Doom 3 `Lloarm`
        side, text = text[0], text[1:]
    else:
        side = ""
    return _SIDE_OF.get(side.lower(), ""), _own_word(text, words)


def split_names(names: Sequence[str], words: frozenset[str] = frozenset()) -> list[tuple[str, str]]:
    """`split_name` of all joints of one rig, without what their names share."""
    plain = strip_shared([_translate(name) for name in names])
    split = [split_name(name, words) for name in plain]
    if not any(side for side, _ in split):
        plain = _with_english_sides(plain)
        split = [split_name(name, words) for name in plain]
    return split


def _with_english_sides(names: list[str]) -> list[str]:
    """Names in which letters of another language stand for left and right: each needs its twin."""
    tokens = [re.split(r"([ _.:\-]+)", name) for name in names]
    known = {tuple(token.lower() for token in row) for row in tokens}
    for left, right in _FOREIGN_LETTERS:
        swap = {left: right, right: left}
        english = {left: "left", right: "right"}
        found = list(names)
        for number, row in enumerate(tokens):
            lower = [token.lower() for token in row]
            twin = tuple(swap.get(token, token) for token in lower)
            if twin != tuple(lower) and twin in known:
                found[number] = "".join(
                    english.get(token, own) for token, own in zip(lower, row, strict=True)
                )
        if sum(one != other for one, other in zip(found, names, strict=True)) >= _FEWEST_SIDED:
            return found
    return names


def _own_word(text: str, words: frozenset[str]) -> str:
    """The bare English word of a name without its side."""
    word = _without_fillers(text)
    word = _FOREIGN.get(word, word)
    first, _, rest = text.strip(_SEPARATORS).partition(" ")
    if first.lower() in _OF_LIMB and word.rstrip("0123456789") not in words:
        inner = _without_fillers(rest)
        if inner.rstrip("0123456789") in words:
            return inner
    return word


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
    marks = unicodedata.normalize("NFKD", text.replace("ß", "ss"))
    plain = "".join(letter for letter in marks if not unicodedata.combining(letter))
    if plain.isascii():  # accents and umlauts; Japanese has marks that belong to its letters
        return plain
    for word, latin in _CHARACTERS.items():
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
            if count >= _SHARED_NAMES * len(names):
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
    return (
        [name.removesuffix(end) or name for name in names] if count >= _SHARED_NAMES * len(names) else names
    )


def _without_running_number(names: list[str]) -> list[str]:
    """Without a number at the end that is another one for each joint, as some exporters add it."""
    numbers = [match.group(1) for name in names if (match := _NUMBER_AT_END.search(name))]
    if len(numbers) >= _SHARED_NAMES * len(names) and len(set(numbers)) == len(numbers):
        return [_NUMBER_AT_END.sub("", name) or name for name in names]
    return names
