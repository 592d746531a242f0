"""What the programs of a constrained mode give, in whatever way a kernel then solves with it."""

from __future__ import annotations

from detent.errors import DetentError
from detent.solves.constraint_frame import program_arrays


def check_program_outputs(sizes: tuple[int, int, int, int], slides: bool, unsolved: int, constraints: int) -> None:
    """That the programs write as many numbers as there is room for; where rows slide, their reactions' directions too.

    >>> check_program_outputs((2, 2, 0, 1), False, 10, 8)
    Traceback (most recent call last):
    ...
    detent.errors.DetentError: the program of the constraints gives 8 numbers where there is room for 9; ...
    """
    room = program_arrays(*sizes)
    written = ["B", "C", "phi", "turn", "gamma", *(["reaction"] if slides else [])]
    expected = {"M and f": (unsolved, room["given"])}
    expected["the constraints"] = (constraints, sum(room[name] for name in written))
    for name, (found, count) in expected.items():
        if found != count:
            raise DetentError(
                f"the program of {name} gives {found} numbers where there is room for {count}; this is a mistake in "
                "detent: please report it with the model"
            )
