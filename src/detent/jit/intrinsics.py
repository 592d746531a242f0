"""What kernels are written with: addresses read as numbers, generated code called by address.

Only the sources of kernels import this module, and they are imported only to be compiled: Numba takes longer to
import than everything else that a short run needs.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any, Final, TypeVar, final

import numpy as np
from llvmlite import ir
from numba import from_dtype, njit, types
from numba.extending import intrinsic

POINTER: Final = types.CPointer(types.float64)
SIGNATURE: Final = types.int64(types.int64, types.float64, POINTER, POINTER, POINTER)
"""The calling convention (:mod:`detent.jit.abi`)."""
ADDRESSES: Final = types.int64(types.int64, types.float64, types.int64, types.int64, types.int64)
"""The same with its pointers as plain addresses, for a kernel that passes them on to another program."""

_OPTIONS: Final = {"error_model": "numpy", "no_cpython_wrapper": True, "no_cfunc_wrapper": True}
"""Kernels are called neither from Python nor, but for the outermost, from C."""

Function = TypeVar("Function", bound=Callable[..., Any])


@final
@dataclass(frozen=True)
class Kernel:
    """A function to be compiled under its own name, and its C signature."""

    function: Callable[..., Any]
    signature: Any


def kernel(signature: Any) -> Callable[[Callable[..., Any]], Kernel]:
    """Marks a function that a kernel library compiles.

    It must not raise, allocate, or call back into Python: a library refers to nothing but the C library of mathematics.

    >>> @kernel(types.float64(types.float64))
    ... def half(x):
    ...     return 0.5 * x
    >>> half.function.__name__
    'half'
    """
    return lambda function: Kernel(function, signature)


def inlined(function: Function) -> Function:
    """Compiled into its callers, for what is short. All that nobody else calls is copied to each of them with it."""
    compiled: Function = _translated_once(njit(forceinline=True, **_OPTIONS)(function))
    return compiled


def called(function: Callable[..., Any]) -> Any:
    """Compiled once and called, for what is long or has many callers."""
    return _translated_once(njit(**_OPTIONS)(function))


def _translated_once(dispatcher: Any) -> Any:
    """Not once more for every number that some call has written out: to Numba a literal is a type of its own."""
    choose = dispatcher.get_call_template

    def chosen(arguments: Any, keywords: Any) -> Any:
        return choose(tuple(types.unliteral(kind) for kind in arguments), keywords)

    dispatcher.get_call_template = chosen
    return dispatcher


def _pointer_intrinsic(element: types.Type) -> Any:
    @intrinsic
    def as_pointer(typing_context: Any, address: Any) -> Any:
        pointer = types.CPointer(element)

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return builder.inttoptr(arguments[0], context.get_value_type(pointer))

        return pointer(types.int64), generate

    return as_pointer


as_doubles: Final = _pointer_intrinsic(types.float64)
as_words: Final = _pointer_intrinsic(types.int64)
as_halfwords: Final = _pointer_intrinsic(types.int32)


def tuple_reader(element: types.Type, count: int) -> Any:
    """A function that reads so many numbers at an address into a tuple, which the compiler keeps in registers."""

    @intrinsic
    def read_tuple(typing_context: Any, address: Any) -> Any:
        numbers = types.UniTuple(element, count)

        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            kind = context.get_value_type(element)
            first = builder.inttoptr(arguments[0], kind.as_pointer())
            places = (builder.gep(first, [ir.IntType(64)(number)]) for number in range(count))
            return context.make_tuple(builder, numbers, [builder.load(place) for place in places])

        return numbers(types.int64), generate

    return read_tuple


def record_reader(fields: np.dtype[Any]) -> Any:
    """A function that sees what stands at an address as a record: its fields have names, and cost what numbers cost.

    >>> record_reader(np.dtype([("first", np.int64), ("last", np.int64)])).__name__
    'as_record'
    """
    record = from_dtype(fields)

    @intrinsic
    def as_record(typing_context: Any, address: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            return builder.inttoptr(arguments[0], context.get_value_type(record))

        return record(types.int64), generate

    return as_record


def row_reader(fields: np.dtype[Any]) -> Any:
    """A function of the address of a table and a number: sees a row of the table as a record.

    >>> row_reader(np.dtype([("first", np.int64), ("last", np.int64)])).__name__
    'as_row'
    """
    record, size = from_dtype(fields), fields.itemsize

    @intrinsic
    def as_row(typing_context: Any, address: Any, number: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            place = builder.add(arguments[0], builder.mul(arguments[1], ir.IntType(64)(size)))
            return builder.inttoptr(place, context.get_value_type(record))

        return record(types.int64, types.int64), generate

    return as_row


@intrinsic
def place_of(typing_context: Any, record: Any) -> Any:
    """The address at which a record stands."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        return builder.ptrtoint(arguments[0], ir.IntType(64))

    return types.int64(record), generate


def field_reader(fields: np.dtype[Any], name: str) -> Any:
    """A function that reads a word of a record as :func:`read_word` does: what another thread may have published.

    >>> field_reader(np.dtype([("first", np.int64), ("last", np.int64)]), "last").__name__
    'read_field'
    """
    record = from_dtype(fields)
    place: int = record.offset(name)

    @intrinsic
    def read_field(typing_context: Any, row: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            first = builder.ptrtoint(arguments[0], ir.IntType(64))
            word = builder.inttoptr(builder.add(first, ir.IntType(64)(place)), ir.IntType(64).as_pointer())
            return builder.load_atomic(word, "acquire", 8)

        return types.int64(record), generate

    return read_field


def field_writer(fields: np.dtype[Any], name: str) -> Any:
    """A function that writes a word of a record as :func:`write_word` does: to publish it to another thread.

    >>> field_writer(np.dtype([("first", np.int64), ("last", np.int64)]), "last").__name__
    'write_field'
    """
    record = from_dtype(fields)
    place: int = record.offset(name)

    @intrinsic
    def write_field(typing_context: Any, row: Any, value: Any) -> Any:
        def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
            first = builder.ptrtoint(arguments[0], ir.IntType(64))
            word = builder.inttoptr(builder.add(first, ir.IntType(64)(place)), ir.IntType(64).as_pointer())
            builder.store_atomic(arguments[1], word, "release", 8)
            return context.get_dummy_value()

        return types.void(record, types.int64), generate

    return write_field


@intrinsic
def call(typing_context: Any, address: Any, context: Any, time: Any, state: Any, values: Any, out: Any) -> Any:
    """Call generated code by address; ``state``, ``values`` and ``out`` are addresses too."""
    signature = types.int64(types.int64, types.int64, types.float64, types.int64, types.int64, types.int64)

    def generate(target: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        word, double = ir.IntType(64), ir.DoubleType()
        pointer = double.as_pointer()
        function = ir.FunctionType(word, [word, double, pointer, pointer, pointer])
        callee = builder.inttoptr(arguments[0], function.as_pointer())
        passed = [arguments[1], arguments[2], *(builder.inttoptr(a, pointer) for a in arguments[3:])]
        return builder.call(callee, passed)

    return signature, generate


@intrinsic
def read_word(typing_context: Any, address: Any) -> Any:
    """An int64 read that the compiler must do each time it is written, never hoist out of a loop."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        pointer = builder.inttoptr(arguments[0], ir.IntType(64).as_pointer())
        loaded = builder.load_atomic(pointer, "acquire", 8)
        return loaded

    return types.int64(types.int64), generate


@inlined
def call_cell(cell: int, time: float, state: int, values: int, out: int) -> int:
    """Call the code that a cell holds. It is read afresh: machine code may have replaced the interpreter."""
    status: int = call(read_word(cell), as_words(cell)[1], time, state, values, out)
    return status


@intrinsic
def write_word(typing_context: Any, address: Any, value: Any) -> Any:
    """An int64 write that other threads see only after everything that was written before it."""

    def generate(context: Any, builder: Any, signature: Any, arguments: Any) -> Any:
        pointer = builder.inttoptr(arguments[0], ir.IntType(64).as_pointer())
        builder.store_atomic(arguments[1], pointer, "release", 8)
        return context.get_dummy_value()

    return types.void(types.int64, types.int64), generate
