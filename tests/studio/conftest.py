"""A cache of its own for every file of tests: what the studio finds there, these tests have made."""

from collections.abc import Iterator

import pytest

from randori.folders import cache_folder

_OWN = ("takes", "studio")  # what tests assert about; the rest is the same whoever has made it
_SHARED = ("controllers", "libraries", "patches")


@pytest.fixture(scope="module", autouse=True)
def own_cache(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Takes are kept in an empty folder; kernels and libraries are where they always are."""
    cache, own = cache_folder(), tmp_path_factory.mktemp("cache")
    for name in _SHARED:
        (cache / name).mkdir(parents=True, exist_ok=True)
    for entry in cache.iterdir():
        if entry.name not in _OWN:
            (own / entry.name).symlink_to(entry.absolute())
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RANDORI_CACHE", str(own))
        yield
