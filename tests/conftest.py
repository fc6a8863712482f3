"""What all tests may use."""

import os
from pathlib import Path

import pytest
from hypothesis import settings

# New examples every time at home; where a change is to land, the same ones for everybody.
settings.register_profile("landing", derandomize=True)
if os.environ.get("CI"):
    settings.load_profile("landing")


@pytest.fixture(scope="session")
def mocap_folder() -> Path:
    """Real recordings, which are not part of the repository: beside it, or where RANDORI_MOCAP says."""
    beside = Path(__file__).parents[2] / "shared" / "mocap"
    folder = Path(os.environ.get("RANDORI_MOCAP", beside))
    if not (folder / "INDEX.csv").is_file():
        pytest.skip(f"no recordings at {folder}; set RANDORI_MOCAP to test on them")
    return folder
