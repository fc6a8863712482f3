"""The table of quality: every limit beside its figure, and what misses is named."""

import pytest

from randori.bench import quality
from randori.errors import RandoriError
from randori.timeline.limits import LIMITS
from randori.work import finish


def test_a_row_names_every_limit():
    (row,) = finish(quality.running("boxing:1.5"))
    assert row["scene"] == "boxing"
    for name, limit in LIMITS.items():
        (key,) = [key for key in row if key.startswith(f"{name} (")]
        value = float(str(row[key]).split()[0])
        kept = value >= limit.bound if limit.at_least else value <= limit.bound
        assert kept == (name not in str(row["misses"]).split(", "))


def test_an_unknown_scene_is_named():
    with pytest.raises(RandoriError, match="there is no scene 'boxin'"):
        finish(quality.running("boxin"))
    with pytest.raises(RandoriError, match="seconds"):
        finish(quality.running("boxing:long"))
