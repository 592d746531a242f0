"""Reads the LaTeX of sheets of equations back into numbers."""

from __future__ import annotations

import math
import re

from detent.dynamics.sheet import Matrix, Sheet, Statements
from detent.expr.listing import FunctionCall, NamedQuantity, Total

FUNCTIONS = {
    r"\sin": math.sin, r"\cos": math.cos, r"\tan": math.tan, r"\arctan": math.atan, r"\ln": math.log,
    r"\tanh": math.tanh, r"\mathrm{sign}": lambda x: float(x > 0) - float(x < 0), r"\min": min, r"\max": max,
    r"\mathrm{atan2}": math.atan2,
}  # fmt: skip


class LatexReader:
    """A reader of sums, products, fractions, powers and functions, which knows how quantities are set."""

    def __init__(self, sheet: Sheet) -> None:
        self.sheet = sheet
        self.known: dict[str, float] = {}
        self.leaves: set[str] = set()
        self.tables: dict[str, FunctionCall] = {}
        for total in (*sheet.listing.parts, *sheet.listing.lines):
            self._gather(total)

    def _gather(self, total: Total) -> None:
        for term in total.terms:
            for factor, _ in term.factors:
                if isinstance(factor, NamedQuantity):
                    self.leaves.add(factor.name)
                elif isinstance(factor, Total):
                    self._gather(factor)
                elif isinstance(factor, FunctionCall):
                    if factor.table is not None:
                        self.tables[rf"\mathrm{{{factor.table[0].name}}}" + "'" * factor.table[1]] = factor
                    for argument in factor.arguments:
                        self._gather(argument)

    def lines(self) -> dict[str, float]:
        """The value of every line whose left side says which it is, after all parts."""
        lefts = {
            line.latex: line.text
            for part in self.sheet.parts
            if not isinstance(part, Statements)
            for line in part.lines
        }
        matrices = {part.symbol: part for part in self.sheet.parts if isinstance(part, Matrix)}
        self.values = {self.sheet.names.latex(leaf): self.known[leaf] for leaf in self.leaves}
        found: dict[str, float] = {}
        whole = "\n".join(self.sheet.latex_lines()).replace("\n&\\quad", "").splitlines()
        for line in whole:
            left, right = line.split(" &= ", 1) if " &= " in line else ("", "")
            if re.fullmatch(r"z_\{\d+\}", left):
                assert left not in self.values
                self.values[left] = self.value(right)
            elif left in lefts:
                found[lefts[left]] = self.value(right)
            elif left in matrices:
                inside = right.removeprefix(r"\begin{bmatrix}").removesuffix(r"\end{bmatrix}")
                cells = [[self.value(cell) for cell in row.split(" & ")] for row in inside.split(r" \\ ")]
                entries = [cells[i][j] for i in range(len(cells)) for j in range(len(cells))
                           if j >= i or not matrices[left].symmetric]  # fmt: skip
                found |= {entry.text: value for entry, value in zip(matrices[left].entries, entries, strict=True)}
        return found

    def value(self, text: str) -> float:
        self.text = text.replace(r"\Bigl(", r"\left(").replace(r"\Bigr)", r"\right)").replace(r"\,", " ")
        self.at = 0
        value = self._sum()
        assert self.at == len(self.text), self.text[self.at :]
        return value

    def _sees(self, word: str) -> bool:
        self._blank()
        return self.text.startswith(word, self.at)

    def _takes(self, word: str) -> bool:
        if not self._sees(word):
            return False
        self.at += len(word)
        return True

    def _blank(self) -> None:
        while self.at < len(self.text) and self.text[self.at] == " ":
            self.at += 1

    def _sum(self) -> float:
        sign = -1.0 if self._takes("-") else 1.0
        value = sign * self._product()
        while True:
            if self._takes("+"):
                value += self._product()
            elif self._takes("-"):
                value -= self._product()
            else:
                return value

    def _product(self) -> float:
        value = self._power()
        while True:
            self._takes(r"\cdot")
            self._blank()
            ends = (r"\right", "}", "+", "-", "&", r"\\", ",", "<", "=", r"\leq", r"\wedge", r"\end")
            if self.at == len(self.text) or self.text.startswith(ends, self.at):
                return value
            value *= self._power()

    def _power(self) -> float:
        value = self._factor()
        return value ** self._braced() if self._takes("^") else value

    def _braced(self) -> float:
        assert self._takes("{")
        if found := re.match(r"(-?\d+)/(\d+)\}", self.text[self.at :]):
            self.at += found.end()
            return int(found[1]) / int(found[2])
        value = self._sum()
        assert self._takes("}")
        return value

    def _factor(self) -> float:
        self._blank()
        for name in sorted(self.values, key=len, reverse=True):
            if self.text.startswith(name, self.at):
                self.at += len(name)
                return self.values[name]
        if number := re.match(r"\d+(\.\d+)?", self.text[self.at :]):
            self.at += number.end()
            return float(number[0])
        if self._takes(r"\frac"):
            above = self._braced()
            return above / self._braced()
        if self._takes(r"\sqrt"):
            return math.sqrt(self._braced())
        if self._takes(r"\left|"):
            value = self._sum()
            assert self._takes(r"\right|")
            return abs(value)
        if self._takes(r"\left(\begin{cases}"):
            return self._cases()
        if self._takes(r"\left("):
            value = self._sum()
            assert self._takes(r"\right)")
            return value
        if self._takes(r"\pi"):
            return math.pi
        return self._call()

    def _call(self) -> float:
        for name, call in self.tables.items():
            if self._takes(name + r"\left("):
                (value,) = self._arguments()
                assert call.table is not None
                return float(call.table[0](value, call.table[1]))
        for name, function in FUNCTIONS.items():
            if self._takes(name):
                power = self._braced() if self._takes("^") else 1.0
                assert self._takes(r"\left("), self.text[self.at :]
                return float(function(*self._arguments())) ** power
        raise AssertionError(f"cannot read {self.text[self.at :]!r}")

    def _arguments(self) -> list[float]:
        values = [self._sum()]
        while self._takes(","):
            values.append(self._sum())
        assert self._takes(r"\right)")
        return values

    def _cases(self) -> float:
        first = self._sum()
        assert self._takes("&")
        holds = self._condition()
        assert self._takes(r"\\")
        second = self._sum()
        assert self._takes(r"& \mathrm{otherwise}\end{cases}\right)")
        return first if holds else second

    def _condition(self) -> bool:
        closed = self._takes(r"\left(")
        a = self._sum()
        kind = next(sign for sign in (r"\leq", "<", "=") if self._takes(sign))
        b = self._sum()
        assert not closed or self._takes(r"\right)")
        return {"<": a < b, r"\leq": a <= b, "=": a == b}[kind]
