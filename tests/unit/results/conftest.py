"""A run known in closed form, as every test of this folder needs one."""

import pytest

from detent.results import Run, sample_run


@pytest.fixture
def stone() -> Run:
    return sample_run()
