"""``detent examples``."""

from __future__ import annotations

import json

from detent.cli.shared import AsJson


def examples(as_json: AsJson = False) -> None:
    """List the ready examples."""
    from detent.gallery.example import examples as listed

    found = listed()
    if as_json:
        print(json.dumps([{"name": name, "title": title} for name, title in found.items()]))
        return
    for name, title in found.items():
        print(f"{name:<18} {title}")
    print("\nRun one with: detent run NAME")
