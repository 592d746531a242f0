"""One of several compiled functions, chosen by a number: a table of functions as a kernel can have it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from llvmlite import ir
from numba import types
from numba.core import cgutils
from numba.extending import intrinsic


def switched(functions: Mapping[int, Any], otherwise: Any) -> Any:
    """A function of a number and a tuple: it passes what is in the tuple on to the function that the number names.

    All are compiled functions with the same kinds of arguments and results; ``otherwise`` is called for a number that
    is not among them.

    >>> from numba import njit
    >>> chosen = switched({4: njit(lambda x: 4.0 * x), 5: njit(lambda x: 5.0 + x)}, njit(lambda x: 0.0 * x))
    >>> njit(lambda number: chosen(number, (10.0,)))(5)
    15.0
    """

    @intrinsic
    def chosen(typing_context: Any, number: Any, passed: Any) -> Any:
        kinds = tuple(types.unliteral(kind) for kind in passed.types)
        signatures = {
            function: typing_context.resolve_function_type(types.Dispatcher(function), kinds, {})
            for function in [*functions.values(), otherwise]
        }
        results = [signature.return_type for signature in signatures.values()]
        result = typing_context.unify_types(*results)  # a number that is written out is a type of its own
        if result is None:
            raise TypeError(f"functions to choose from return {', '.join(map(str, results))}; let them return the same")

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            values = cgutils.unpack_tuple(builder, arguments[1])
            place = cgutils.alloca_once(builder, context.get_value_type(result))
            end, default = builder.append_basic_block("chosen"), builder.append_basic_block("otherwise")
            choice = builder.switch(arguments[0], default)
            for function in signatures:
                block = default if function is otherwise else builder.append_basic_block("choice")
                for case in (case for case, named in functions.items() if named is function):
                    choice.add_case(ir.Constant(arguments[0].type, case), block)
                builder.position_at_end(block)
                call = context.get_function(types.Dispatcher(function), signatures[function])
                for library in getattr(call, "libs", ()):
                    context.active_code_library.add_linking_library(library)
                value = context.cast(builder, call(builder, values), signatures[function].return_type, result)
                builder.store(value, place)
                builder.branch(end)
            builder.position_at_end(end)
            return builder.load(place)

        return result(types.unliteral(number), types.Tuple(kinds)), generate

    return chosen
