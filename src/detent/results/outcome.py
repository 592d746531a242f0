"""How a run ended."""

from __future__ import annotations

from enum import Enum
from typing import final

from detent.errors import UnknownNameError


@final
class Outcome(Enum):
    """How a run ended, with what to do about it.

    >>> Outcome.STEP_TOO_SMALL.word
    'step-too-small'
    >>> print(Outcome.COMPLETED)
    completed
    """

    COMPLETED = "completed"
    NOT_A_NUMBER = (
        "the state stopped being a number; check the model for a division by zero or the root of a negative number "
        "near the last state, or take smaller steps"
    )
    STEP_TOO_SMALL = (
        "the step fell below what the time can resolve; the equations are stiff or singular there: loosen rtol, "
        "or look at the model near the last state"
    )
    SINGULAR_MASS = (
        "the mass matrix is singular; give a mass or an inertia to every body in each direction in which it can move"
    )
    SINGULAR_CONSTRAINT = (
        "the constraints can no longer be solved for any speeds (a dead point, a change point, or rows that became "
        "dependent); release one there, or take smaller steps"
    )
    LEFT_MANIFOLD = (
        "a constraint left the boundary layer of its sliding manifold, so that its bounds do not hold any more; give "
        "SlidingManifold a larger gain or a smaller time_constant, with a step to match, or a larger boundary"
    )
    PARADOX = (
        "with this friction no acceleration, or more than one, satisfies the sliding contact (the paradox of "
        "Painleve); lower the friction, or let the contact end in an impact"
    )
    NEAREST_POINT = (
        "which point of a curve or surface is the nearest cannot be followed there; cut it into several curves with a "
        "contact each, where a body may touch it in two places or lies in it as closely as it bends, and give closed= "
        "to one that comes back to its start"
    )
    FLAT_EDGE = (
        "an edge that lies flat touches all round, and which of its points is the lowest cannot be told; give its body "
        "three points or more, or a box, in place of the cylinder or rim"
    )
    TOO_MANY_STEPS = (
        "more steps than allowed; the equations may be stiff or singular there. Raise most_steps if the run is really "
        "that long, with times=... to keep memory small"
    )
    TOO_MANY_CALLS = (
        "the equations were evaluated more often than allowed; they may be stiff or singular there. Loosen rtol, raise "
        "most_calls of detent.Dae if the run is really that long, or use formulation='embedded', which needs fewer"
    )
    NO_PROGRESS = (
        "steps go on, but time does not: many thousands of them led no farther than 1.5e-8 of "
        "it; something happens there again and again, or changes faster than time is resolved. Give another "
        "rtol, begin with values that are not quite the same, or let time begin nearer to zero"
    )
    RECORD_FULL = (
        "what the run keeps has reached its bound; keep less, with keep=10 (the last 10 s), keep='events' or "
        "times=[...], or allow more with most_bytes="
    )
    GUARD_NOT_A_NUMBER = (
        "a guard or condition is not a number there; write it so that it has a value wherever its mode can be"
    )
    GUARD_UNRESOLVED = (
        "a guard changes its sign more often than steps can be told apart; write it so that it passes zero at single "
        "instants"
    )
    RESET_VIOLATES = (
        "a transition leads to a state that the constraints of its mode do not allow; let the reset bring it there, or "
        "use detent.Impact() where speeds have to change"
    )
    IMPACT = "an impact cannot be resolved; give restitutions from 0 to 1, and constraints that can hold together"
    FORBIDDEN = (
        "a mode is where it may not be; mend the start or the reset, or what the mode requires with where=, or give it "
        "a transition that leaves in time"
    )
    TOO_MANY_JUMPS = (
        "transition followed transition at one instant without end; let their guards or resets exclude one another"
    )
    ZENO = (
        "transitions come faster and faster without end; say with accumulates= in which mode the run goes on after them"
    )
    INTERRUPTED = "interrupted by the user"

    @property
    def word(self) -> str:
        """The outcome as one word, for JSON and for files."""
        return self.name.lower().replace("_", "-")

    @property
    def advice(self) -> str:
        """What happened and what to do next."""
        return self.value

    @classmethod
    def from_word(cls, word: str) -> Outcome:
        """The outcome that a word stands for.

        >>> Outcome.from_word("singular-mass") is Outcome.SINGULAR_MASS
        True
        """
        for outcome in cls:
            if outcome.word == word:
                return outcome
        raise UnknownNameError(word, [outcome.word for outcome in cls], what="outcome")

    def __str__(self) -> str:
        return self.advice
