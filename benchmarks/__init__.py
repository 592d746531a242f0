"""How fast detent is, as ratios to other engines measured in the same run.

``python -m benchmarks`` (or ``detent bench``) prints a table, ``--json`` one JSON object, ``--only WORD`` runs the
benchmarks whose name holds that word. One module per benchmark, each with a ``TITLE`` and a function ``run``;
:mod:`benchmarks.peers` holds the engines to compare with, which the extra ``bench`` installs.
"""
