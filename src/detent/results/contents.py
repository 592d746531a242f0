"""The table of contents of a result file: what is known about the run, and where each array stands in the file.

It follows the HDF5 data, which other programs read, and precedes the seal. By it a run is loaded without the HDF5
library: that one reads a file of any structure, and one that was changed can make it crash, or never come back.
"""

from __future__ import annotations

import io
import json
import math
import sys
from collections.abc import Mapping
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any, Final, final

import numpy as np

from detent.jit.arrays import FloatArray
from detent.results.extras import require
from detent.results.field_kinds import MOST_NUMBER, Misfit, list_of, one_of, parsed, record, table_of, whole

if TYPE_CHECKING:
    import xarray

LENGTH_DIGITS: Final = 16
"""The last line of the contents says how long they are, in so many digits."""

_FIELDS: Final = record(
    {
        "run": lambda where, found: found,
        "order": one_of(("little", "big")),
        "arrays": table_of(list_of(whole(0, MOST_NUMBER))),
    }
)


def contents_of(run: Mapping[str, Any], nodes: xarray.Dataset, data: bytes | memoryview) -> bytes:
    """The table of contents of a run whose arrays are in ``data`` as HDF5."""
    h5py = require("h5py", "save a run")
    arrays = {}
    with h5py.File(io.BytesIO(data), "r") as file:
        for name, variable in nodes.variables.items():
            values, offset = variable.to_numpy(), file[name].id.get_offset() or 0
            if bytes(data[offset : offset + values.nbytes]) != values.tobytes():
                raise RuntimeError(f"the array '{name}' does not stand in one piece where HDF5 says")
            arrays[str(name)] = [offset, *values.shape]
    made = {"run": run, "order": sys.byteorder, "arrays": arrays}
    text = json.dumps(made, ensure_ascii=False).encode()
    return b"\n" + text + f"\n{len(text):0{LENGTH_DIGITS}d}".encode()


@final
@dataclass(frozen=True)
class Contents:
    """What a file says about itself, checked against its size."""

    run: Any
    """What is known about the run; of any form."""
    order: str
    arrays: Mapping[str, tuple[int, ...]]
    """Where each array begins, then its shape."""

    def array(self, file: IO[bytes], name: str, dimensions: int) -> FloatArray:
        """An array of the file."""
        if name not in self.arrays or len(self.arrays[name]) != dimensions + 1:
            raise Misfit("table of arrays", list(self.arrays), f"'{name}' with {dimensions} dimensions")
        offset, *shape = self.arrays[name]
        file.seek(offset)
        read = file.read(8 * math.prod(shape))
        if len(read) != 8 * math.prod(shape):
            raise Misfit(f"array '{name}'", f"of {len(read)} bytes", f"one of {8 * math.prod(shape)}")
        content = np.frombuffer(read, dtype="<f8" if self.order == "little" else ">f8")
        return content.astype(np.float64, copy=False).reshape(shape)


def read_contents(file: IO[bytes], size: int) -> Contents:
    """The contents of the first ``size`` bytes of a file; :class:`Misfit` where there are none."""
    file.seek(max(size - LENGTH_DIGITS, 0))
    digits = file.read(LENGTH_DIGITS)
    if len(digits) < LENGTH_DIGITS or not digits.isdigit():
        raise Misfit("end", digits, f"a number of {LENGTH_DIGITS} digits")
    first = size - LENGTH_DIGITS - 1 - int(digits)
    if first < 1:
        raise Misfit("length of contents", int(digits), f"a number below its size, {size},")
    file.seek(first)
    try:
        found = parsed(file.read(int(digits)).decode("utf-8"))
    except (ValueError, RecursionError) as error:
        raise Misfit("table of contents", str(error), "JSON") from None
    made = _FIELDS("table of contents", found)
    needed = 0
    for name, (offset, *shape) in ((name, place or [0]) for name, place in made["arrays"].items()):
        length = 8 * math.prod(shape)
        needed += length
        if offset + length > first or needed > first:
            raise Misfit(f"array {name!a}", [offset, *shape], f"one that lies within its first {first} bytes")
    return Contents(made["run"], made["order"], {name: tuple(place) for name, place in made["arrays"].items()})
