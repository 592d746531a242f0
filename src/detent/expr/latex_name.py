r"""Names as LaTeX sets them: letters and Greek ones in italics, words upright, numbers and what follows ``_`` below."""

from __future__ import annotations

import re
from typing import Final

GREEK: Final = (
    "alpha", "beta", "gamma", "delta", "epsilon", "zeta", "eta", "theta", "iota", "kappa", "lambda", "mu", "nu", "xi",
    "pi", "rho", "sigma", "tau", "upsilon", "phi", "chi", "psi", "omega", "Gamma", "Delta", "Theta", "Lambda", "Xi",
    "Pi", "Sigma", "Upsilon", "Phi", "Psi", "Omega",
)  # fmt: skip
_PLAIN: Final = re.compile(r"([A-Za-z]+)(\d*)((?:_[A-Za-z0-9]+)*)$")
_ESCAPED: Final = {
    "\\": r"\backslash ", " ": r"\ ", "~": r"\sim ", "^": r"\wedge ", "-": "{-}",
    **{letter: f"\\{letter}" for letter in "#$%&_{}"},
}  # fmt: skip


def latex_name(name: str, dots: int = 0) -> str:
    r"""A name, with dots on it for its rates.

    >>> latex_name("q1"), latex_name("q1", dots=2), latex_name("theta_rod"), latex_name("tilt")
    ('q_{1}', '\\ddot{q}_{1}', '\\theta_{\\mathrm{rod}}', '\\mathrm{tilt}')
    """
    found = _PLAIN.match(name)
    if found is None:
        return _dotted(upright(name), dots)
    word, digits, rest = found.groups()
    below = [*([digits] if digits else []), *(_piece(piece) for piece in rest.split("_")[1:])]
    base = _dotted(_piece(word), dots)
    return base + (f"_{{{','.join(below)}}}" if below else "")


def upright(words: str) -> str:
    r"""Words as they are.

    >>> upright("left foot")
    '\\mathrm{left\\ foot}'
    """
    return rf"\mathrm{{{''.join(_ESCAPED.get(letter, letter) for letter in words)}}}"


def _piece(piece: str) -> str:
    if piece in GREEK:
        return f"\\{piece}"
    letter = re.fullmatch(r"([A-Za-z])(\d*)", piece)
    if letter is not None:
        return piece
    return piece if piece.isdigit() else upright(piece)


def _dotted(base: str, dots: int) -> str:
    return rf"\{'d' * dots}ot{{{base}}}" if dots else base
