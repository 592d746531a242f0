"""Runs with other nodes than the one they are made from."""

from typing import Any

from detent.results.column import not_known
from detent.results.columns import at_nodes


def numbers_not_known() -> dict[str, Any]:
    """The fields with a number for each node, given by nobody."""
    kept = (column.name for column, quantity in at_nodes() if not quantity.several and quantity.follows is None)
    return {name: not_known() for name in kept}
