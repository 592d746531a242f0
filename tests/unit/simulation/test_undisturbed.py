"""What live runs set aside is looked at again when the next one begins, or as many later as is asked for."""

from __future__ import annotations

import gc
import itertools
import weakref
from collections.abc import Iterator

import pytest

import detent
from detent.simulation import stretch, undisturbed


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


def test_collections_wait_until_the_last_is_out_that_keeps_them_from_running() -> None:
    gc.enable()
    with undisturbed.uncollected():
        with undisturbed.undisturbed():
            assert not gc.isenabled()
        assert not gc.isenabled()
    assert gc.isenabled()
    with pytest.raises(ZeroDivisionError), undisturbed.uncollected():
        _ = 1 / 0
    assert gc.isenabled()


def test_no_collection_looks_at_what_a_run_is_set_up_of(monkeypatch: pytest.MonkeyPatch) -> None:
    gc.enable()
    seen, prepared = list[bool](), stretch.prepared
    monkeypatch.setattr(stretch, "prepared", lambda *given: seen.append(gc.isenabled()) or prepared(*given))
    detent.Simulation(detent.example("pendulum").system)
    assert seen == [False]
    assert gc.isenabled()
