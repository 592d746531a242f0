"""What the programs of a constrained mode give, in whatever way a kernel then solves with it."""

from __future__ import annotations

from detent.errors import DetentError


def program_arrays(n_q: int, n: int, n_s: int, m: int) -> dict[str, int]:
    """The arrays that a kernel gives its programs, with their sizes; B to reaction lie in a row, as one writes them.

    >>> program_arrays(2, 2, 0, 1)["B"]
    2
    """
    return {
        "state": n_q + n + n_s + 1,
        "given": n_q + 2 * n + n_s + 1 + n * (n + 1) // 2,
        "B": m * n,
        "C": m,
        "phi": m,
        "turn": (n_q + n_s) * n,
        "gamma": m,
        "reaction": m * n,
    }


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
