"""What is found in labelled recordings, for several files of tests."""

from pathlib import Path

import pytest

from capture.labelled import Judged, judged_folders
from shared import made_once, state_of


@pytest.fixture(scope="session")
def judged(mocap_folders: list[Path]) -> list[Judged]:
    """Every labelled recording, and what its analysis says."""
    return made_once("labelled-captures", lambda: judged_folders(mocap_folders), state_of(*mocap_folders))
