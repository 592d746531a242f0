"""The run-time values of a run: parameters, and inputs that are set from outside."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import numpy as np

from detent.errors import DetentError, ValueProblem
from detent.expr.text import number_from_text
from detent.formulation.compiled import CompiledSystem
from detent.model.input import Held, Sampled
from detent.stepping.held_interrupts import interruptible


class RunValues:
    """The vector of values that generated code reads, kept up to date."""

    def __init__(
        self, compiled: CompiledSystem, parameters: Mapping[str, float], given: Mapping[str, Any],
        discrete: Sequence[float] = (),
    ) -> None:  # fmt: skip
        quantities = compiled.equations.quantities
        rules = {symbol.name: compiled.equations.system.input_rules[symbol] for symbol in quantities.run_inputs}
        rules.update({name: value for name, value in given.items() if name in rules})
        self.layout = compiled.layout
        self.names = list(rules)
        """Of the inputs, in their order."""
        self.rules: dict[int, tuple[str, Held | Sampled]] = {}
        self.first_discrete = len(parameters) + len(rules)
        """Discrete states begin here, then for each load that comes and goes whether it acts."""
        self.vector = np.zeros(self.first_discrete + len(discrete) + len(quantities.switches))
        self.vector[self.first_discrete : self.first_discrete + len(discrete)] = discrete
        self.vector[: len(parameters)] = [parameters[symbol.name] for symbol in quantities.parameters]
        for number, (name, rule) in enumerate(rules.items(), len(parameters)):
            if isinstance(rule, (Held, Sampled)):
                self.rules[number] = (name, rule)
                self.vector[number] = 0.0
            else:
                self.vector[number] = number_from_text(rule) if isinstance(rule, str) else float(rule)

    def update(self, time: float, state: np.ndarray) -> None:
        """Set every held or sampled input for the interval that begins now."""
        named = dict(zip(self.layout.names, state.tolist(), strict=True)) if self.rules else {}
        found = {
            number: rule.value(time) if isinstance(rule, Held) else self._sample(name, rule, time, named)
            for number, (name, rule) in self.rules.items()
        }
        for number, value in found.items():  # all or, where a function failed or was interrupted, none
            self.vector[number] = value

    def _sample(self, name: str, rule: Sampled, time: float, state: dict[str, float]) -> float:
        try:
            with interruptible():
                value = float(rule.function(time, state))
        except DetentError:
            raise
        except Exception as error:
            raise ValueProblem(
                f"the function of input '{name}' failed at t = {time:.9g}: {type(error).__name__}: {error}; mend it"
            ) from error
        if not math.isfinite(value):
            raise ValueProblem(
                f"the function of input '{name}' gave {value} at t = {time:.9g}; it must give a finite number"
            )
        return value

    def constants(self) -> dict[str, float | None]:
        """The value of each input that stays as it is, by name; None for those that are held or sampled."""
        first = self.first_discrete - len(self.names)
        return {
            name: None if number in self.rules else float(self.vector[number])
            for number, name in enumerate(self.names, first)
        }

    def next_change(self, time: float, until: float) -> float:
        """The end of the interval in which all inputs stay as they are."""
        return min([until, *(rule.next_change(time) for _, rule in self.rules.values())])
