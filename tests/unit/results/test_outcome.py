"""Every ending has a word for scripts and advice for people."""

import pytest

from detent.errors import UnknownNameError
from detent.results import Outcome


def test_words() -> None:
    words = ["completed", "not-a-number", "step-too-small", "singular-mass"]
    words += [
        "singular-constraint",
        "left-manifold",
        "paradox",
        "nearest-point",
        "flat-edge",
        "too-many-steps",
        "too-many-calls",
        "no-progress",
        "record-full",
        "guard-not-a-number",
        "guard-unresolved",
        "reset-violates",
        "impact",
    ]
    words += ["forbidden", "too-many-jumps", "zeno", "interrupted"]
    assert [outcome.word for outcome in Outcome] == words
    assert [Outcome.from_word(word) for word in words] == list(Outcome)


def test_the_text_of_an_outcome_is_its_advice() -> None:
    assert str(Outcome.INTERRUPTED) == Outcome.INTERRUPTED.advice == "interrupted by the user"
    assert "rtol" in Outcome.STEP_TOO_SMALL.advice
    assert "give a mass or an inertia" in Outcome.SINGULAR_MASS.advice
    assert "division by zero" in Outcome.NOT_A_NUMBER.advice


def test_an_unknown_word_lists_the_words() -> None:
    with pytest.raises(UnknownNameError, match="no outcome named 'complete'; did you mean 'completed'"):
        Outcome.from_word("complete")
