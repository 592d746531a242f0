"""A figure that a notebook shows, though it belongs to no window of matplotlib.pyplot."""

from __future__ import annotations

import io
from typing import final

from matplotlib.figure import Figure


@final
class ShownFigure(Figure):
    """A figure of matplotlib, which notebooks show by themselves only where somebody has imported pyplot.

    >>> ShownFigure()._repr_png_()[1:4]
    b'PNG'
    """

    def _repr_png_(self) -> bytes:
        file = io.BytesIO()
        self.savefig(file, format="png")
        return file.getvalue()
