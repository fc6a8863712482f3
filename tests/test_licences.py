"""Licences are an allow list: only free ones that are known, or that a person vouches for, may be sold."""

import pytest

from randori.licences import allows_sale

FREE = """
MIT|MIT License|the MIT licence|mit|CC0|CC0-1.0|CC0 1.0 Universal|CC-BY-4.0|CC BY 4.0|cc_by_3.0|CC-BY-SA-4.0
Creative Commons Attribution 4.0 International|Public Domain|public-domain|Apache-2.0|Apache License 2.0
BSD-3-Clause|BSD 3-Clause License|0BSD|Unlicense|The Unlicense|Zlib|ISC|MPL-2.0|CDLA-Permissive-2.0|PDDL-1.0
"""
NOT_FREE = """
not for commercial use|personal use only|CC_BY_NC_4.0|CC-BY-NC-4.0|CC BY-NC-SA 4.0|CC-BY-ND-4.0|unknown
all rights reserved|free for non-commercial use|Noncommercial licence|research only|academic|?|-|4.0|license
MIT, but not for games|CC BY 4.0 (non-commercial)|free|GPL-3.0|my own|MIT-like|© 2020 somebody|no licence
"""


@pytest.mark.parametrize("licence", [word for line in FREE.split("\n") for word in line.split("|") if word])
def test_free_licences_are_known_by_any_of_their_names(licence: str):
    assert allows_sale(licence)
    assert allows_sale(f"  {licence.upper()} ")


@pytest.mark.parametrize(
    "licence", ["", " ", *(w for line in NOT_FREE.split("\n") for w in line.split("|") if w)]
)
def test_everything_else_is_refused(licence: str):
    assert not allows_sale(licence)


def test_a_person_may_vouch_for_one_by_its_words():
    assert allows_sale("Studio agreement 7", ["studio agreement 7 "])
    assert not allows_sale("Studio agreement 7", ["Studio agreement"])
    assert not allows_sale("", [""])
