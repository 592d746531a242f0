"""What a live run sets aside is looked at again when it has grown, and not whenever a run begins."""

from __future__ import annotations

import gc
import weakref
from collections.abc import Iterator

import pytest

from detent.simulation import undisturbed


class Ring:
    """Garbage that only a collection finds."""

    def __init__(self) -> None:
        self.itself = self


@pytest.fixture(autouse=True)
def automatic_collections_wait() -> Iterator[None]:
    gc.disable()
    yield
    gc.enable()


def test_garbage_among_what_was_set_aside_goes_once_it_has_grown(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(undisturbed, "_kept", 0)
    undisturbed.prepare_process()
    assert 0 < gc.get_freeze_count() <= undisturbed._kept
    ring = Ring()
    gone = weakref.ref(ring)
    undisturbed.prepare_process()
    del ring
    undisturbed.prepare_process()
    assert gone() is not None
    monkeypatch.setattr(undisturbed, "_kept", undisturbed._kept / (2 * undisturbed.GROWTH))  # as if it had doubled
    undisturbed.prepare_process()
    assert gone() is None


def test_garbage_that_was_never_set_aside_goes_at_once() -> None:
    undisturbed.prepare_process()
    gone = weakref.ref(Ring())
    undisturbed.prepare_process()
    assert gone() is None
