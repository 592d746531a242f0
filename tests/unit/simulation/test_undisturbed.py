"""What live runs set aside is looked at again when the next one begins, or as many later as is asked for."""

from __future__ import annotations

import gc
import itertools
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


@pytest.mark.parametrize("every", [1, 3])
def test_garbage_among_what_was_set_aside_goes_when_it_is_looked_at(
    every: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(undisturbed, "LOOK_EVERY", every)
    monkeypatch.setattr(undisturbed, "_begun", itertools.count())
    ring = Ring()
    gone = weakref.ref(ring)
    undisturbed.prepare_process()
    del ring
    for _ in range(1, every):
        undisturbed.prepare_process()
        assert gone() is not None
    undisturbed.prepare_process()
    assert gone() is None


def test_garbage_that_was_never_set_aside_goes_at_once() -> None:
    undisturbed.prepare_process()
    gone = weakref.ref(Ring())
    undisturbed.prepare_process()
    assert gone() is None
