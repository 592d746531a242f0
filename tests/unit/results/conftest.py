"""A run known in closed form, as every test of this folder needs one."""

import pytest

from detent.results import Run, thrown_stone


@pytest.fixture
def stone() -> Run:
    return thrown_stone()
