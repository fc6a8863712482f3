"""Licences that let people sell works made with a recording: an allow list, so unknown ones do not.

Conditions that a licence has besides (credit, the same licence for what is made) stay the reader's to keep.
"""

import re
from collections.abc import Iterable

# SPDX identifiers, without their versions
_FREE_IDENTIFIERS = (
    "0BSD AFL APACHE ARTISTIC BSD-1-CLAUSE BSD-2-CLAUSE BSD-3-CLAUSE BSL CC-BY CC-BY-SA CC0 CDLA-PERMISSIVE "
    "CECILL-B ECL EUPL FSFAP FTL ISC MIT MIT-0 MPL MS-PL NCSA ODBL ODC-BY PDDL POSTGRESQL UNLICENSE UPL "
    "WTFPL X11 ZLIB"
)
# what people write instead
_COMMON_NAMES = (
    "apache software",
    "boost software",
    "bsd",
    "cc zero",
    "creative commons zero",
    "creative commons attribution",
    "creative commons attribution international",
    "creative commons attribution sharealike",
    "creative commons attribution share alike",
    "creative commons attribution sharealike international",
    "expat",
    "new bsd",
    "simplified bsd",
    "public domain",
    "public domain dedication",
)
_KNOWN_NAMES = {word.lower().replace("-", " ") for word in _FREE_IDENTIFIERS.split()} | set(_COMMON_NAMES)
_VERSION = re.compile(r"\bv?\d+(\.\d+){0,2}\b")
_FILLER_WORDS = re.compile(r"^the | (licen[cs]e|universal|unported|generic)$")


def allows_sale(licence: str, allowed: Iterable[str] = ()) -> bool:
    """Whether a licence is a free one, or one that a person has allowed by its own words."""
    name = licence.strip().casefold()
    if name and name in (word.strip().casefold() for word in allowed):
        return True
    words = " ".join(re.split(r"[\s_\-/()]+", name)).strip()
    # some have a number in their name (BSD-3-Clause), of others it is the version (CC-BY-4.0)
    return _without_filler(words) in _KNOWN_NAMES or _without_filler(_VERSION.sub(" ", words)) in _KNOWN_NAMES


def _without_filler(words: str) -> str:
    """A licence's name without article and filler: "the MIT license" is MIT."""
    found = " ".join(words.split())
    while (shorter := _FILLER_WORDS.sub("", found)) != found:
        found = shorter
    return found
