"""The command line. Everything heavy is imported by the command that needs it, so that --help answers at once."""

from __future__ import annotations

import contextlib
import json
import sys
import unicodedata
import warnings
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import TYPE_CHECKING, Annotated, Any, NoReturn

import typer

from detent.errors import DetentError, DetentWarning, UnknownNameError, ValueProblem

if TYPE_CHECKING:
    from detent.gallery.example import Example
    from detent.results.run import Run
    from detent.view.run_pictures import RunPicture

BAD_INPUT = 2
RUN_FAILED = 1

app = typer.Typer(
    name="detent",
    help="Mechanical systems whose constraints change while they move.",
    no_args_is_help=True,
    add_completion=False,
    pretty_exceptions_enable=False,
)

Model = Annotated[str, typer.Argument(metavar="NAME|FILE.py", help="An example's name, or a Python file with a model.")]
Settings = Annotated[
    list[str] | None,
    typer.Option("--set", metavar="NAME=VALUE", help="A parameter, start value, input or structural argument."),
]
AsJson = Annotated[bool, typer.Option("--json", help="Print one JSON object and nothing else.")]


def _version(wanted: bool) -> None:
    if wanted:
        from detent import __version__

        print(f"detent {__version__}")
        raise typer.Exit


@app.callback()
def options(
    version: Annotated[
        bool, typer.Option("--version", callback=_version, is_eager=True, help="Print the version and leave.")
    ] = False,
) -> None:
    """Mechanical systems whose constraints change while they move."""


@app.command()
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


@app.command()
def run(
    model: Model,
    settings: Settings = None,
    until: Annotated[str | None, typer.Option(metavar="T", help="How long to simulate, s.")] = None,
    method: Annotated[str | None, typer.Option(metavar="M", help="dop853, dopri5 or rk4.")] = None,
    rtol: Annotated[str | None, typer.Option(metavar="R", help="Relative tolerance of the adaptive methods.")] = None,
    step: Annotated[
        str | None, typer.Option(metavar="H", help="The step of rk4, the largest step of the others, s.")
    ] = None,
    formulation: Annotated[
        str | None,
        typer.Option(metavar="F", help="embedded, multipliers, projection, corrected, sliding_manifold or dae."),
    ] = None,
    modes: Annotated[str | None, typer.Option(metavar="M", help="When modes are built: lazy, ahead or all.")] = None,
    embedding: Annotated[str | None, typer.Option(metavar="E", help="symbolic, numeric or live.")] = None,
    as_json: AsJson = False,
    out: Annotated[Path | None, typer.Option(metavar="FILE.nc", help="Save the run.")] = None,
    plot: Annotated[Path | None, typer.Option(metavar="FILE.png", help="Draw the run (png, svg or pdf).")] = None,
    strobe: Annotated[
        Path | None, typer.Option(metavar="FILE.png", help="Draw a planar model at equally spaced times.")
    ] = None,
    of: Annotated[
        list[str] | None,
        typer.Option("--of", metavar="EXPR", help="What --plot and --csv show: a name or an expression, each."),
    ] = None,
    against: Annotated[
        str | None, typer.Option(metavar="EXPR", help="Have --plot draw against this, not the time.")
    ] = None,
    table: Annotated[
        Path | None, typer.Option("--csv", metavar="FILE.csv", help="Write names or expressions at the steps.")
    ] = None,
    events: Annotated[str, typer.Option(metavar="N|all", help="How many events to list.")] = "20",
    checkpoint: Annotated[
        Path | None, typer.Option(metavar="FILE.json", help="Write where the run stands at its end.")
    ] = None,
    resume: Annotated[Path | None, typer.Option(metavar="FILE.json", help="Go on from a checkpoint.")] = None,
) -> None:
    """Simulate an example or a model file and say how it went."""
    from detent.expr.text import number

    chosen: dict[str, Any] = {
        "method": method, "embedding": embedding, "formulation": formulation, "modes": modes, "checkpoint": checkpoint,
        "resume": resume,
    }  # fmt: skip
    for name, text in (("until", until), ("rtol", rtol), ("step", step)):
        chosen[name] = None if text is None else number(text)
    given = _given(settings)
    wanted = {option: path for option, path in (("plot", plot), ("strobe", strobe)) if path is not None}
    _check_outputs([out, checkpoint, table], *wanted.values())
    _check_asked(of, against, plot, table)
    most = _most_events(events)
    # What a user's own file prints must not get between the lines of the JSON object.
    with contextlib.redirect_stdout(sys.stderr) if as_json else contextlib.nullcontext():
        example, values = _prepared(model, given)
        pictures = _pictures(example, wanted)
        result, failure = _simulated(example, {k: v for k, v in chosen.items() if v is not None} | values, as_json)
    if out is not None:
        result.save(out)
    for picture, path in pictures:
        picture.draw(example.system, result, path, of, against)
    if table is not None:
        result.to_csv(table, of)
    if as_json:
        print(json.dumps(result.as_json(), allow_nan=False))
    else:
        print(result.summary())
        _print_events(result, most)
        drawn = ((p.told, path) for p, path in pictures)
        for verb, file in (("saved to", out), ("table in", table), *drawn, ("checkpoint in", checkpoint)):
            if file is not None:
                print(f"  {verb} {file}")
    if failure is not None:
        _fail(str(failure), RUN_FAILED)


@app.command()
def equations(
    model: Model,
    settings: Settings = None,
    mode: Annotated[
        str | None,
        typer.Option(metavar="MODE", help="A mode, or active constraints as in 'a + b'; else the mode at the start."),
    ] = None,
    latex: Annotated[bool, typer.Option("--latex", help="Print LaTeX.")] = False,
) -> None:
    """Show Kane's equations of an example or a model file."""
    from detent.simulation.equations import equations as of_mode

    example, _ = _prepared(model, _given(settings))
    shown = of_mode(example, mode)
    print(shown.latex() if latex else shown.text())


@app.command()
def automaton(
    model: Model,
    settings: Settings = None,
    out: Annotated[
        Path | None, typer.Option(metavar="FILE.svg", help="Write it: svg, png, pdf, json or mmd (Mermaid).")
    ] = None,
    visited: Annotated[bool, typer.Option("--run", help="Simulate, and show what was visited.")] = False,
    until: Annotated[str | None, typer.Option(metavar="T", help="How long to simulate, s; with --run.")] = None,
) -> None:
    """Show the modes and transitions of an example or a model file, as declared or as visited."""
    from detent.expr.text import number
    from detent.view.automaton_graph import FORMATS, draw_automaton
    from detent.view.files import check_ending

    _check_outputs([out])
    if out is not None:
        check_ending(out, FORMATS, "automata")
    if until is not None and not visited:
        raise ValueProblem("--until says how long to simulate, which needs --run; add it, or leave --until out")
    example, values = _prepared(model, _given(settings))
    shown = example.automaton or (example.system if example.system.contacts else None)
    if shown is None:
        raise DetentError(
            f"'{example.name}' has no automaton: its constraints do not change by themselves; choose an example with "
            "modes and transitions, or leave behind 'automaton' (a detent.Automaton) in the file"
        )
    changes = values if until is None else values | {"until": number(until)}
    result, failure = _simulated(example, changes, False) if visited else (None, None)
    graph = draw_automaton(shown, out, result)
    print(graph.text() if out is None else f"drawn in {out}")
    if failure is not None:
        _fail(str(failure), RUN_FAILED)


@app.command()
def bench(
    as_json: AsJson = False,
    only: Annotated[
        str | None, typer.Option(metavar="WORD", help="Only benchmarks whose name holds this word.")
    ] = None,
) -> None:
    """Measure detent against its peers, as ratios in one run."""
    runner = _benchmarks()
    rows = runner.run(only)
    print(runner.as_json(rows) if as_json else runner.table(rows))


# -- helpers -----------------------------------------------------------------------------------


def _given(settings: list[str] | None) -> dict[str, float]:
    """The values of --set by name."""
    from detent.expr.text import number

    values: dict[str, float] = {}
    for name, text in map(_split, settings or []):
        if name in values:
            raise ValueProblem(f"--set gives '{name}' twice; give it once")
        values[name] = number(text)
    return values


def _split(setting: str) -> tuple[str, str]:
    name, equals, text = setting.partition("=")
    if not equals or not name.strip() or not text.strip():
        raise ValueProblem(f"--set {setting!r} is not of the form name=value; write for example --set tilt=pi/12")
    return unicodedata.normalize("NFKC", name.strip()), text.strip()  # names as Python reads them


def _prepared(model: str, given: dict[str, float]) -> tuple[Example, dict[str, Any]]:
    """The example, and which of the given values are parameters, start values and inputs."""
    from detent.gallery.example import example, structure_of

    if model.endswith(".py"):
        from detent.gallery.model_file import example_from_file

        try:
            made, structure = example_from_file(Path(model)), {}
        except SystemExit as stop:  # a model is to be left behind; a file that ends the program leaves none
            raise DetentError(f"{model} ended the program (exit code {stop.code}); remove the call of exit") from None
    else:
        structure = structure_of(model)
        made = example(model, **{name: value for name, value in given.items() if name in structure})
    system = made.system
    kinds = {
        "parameters": [symbol.name for symbol in system.parameter_values],
        "start": [
            s.name
            for group in (system.coordinate_list, system.all_speeds(), system.signal_rates, system.discrete_states)
            for s in group
        ],
        "inputs": [symbol.name for symbol in system.input_rules],
    }
    for name in given:
        if name not in structure and not any(name in names for names in kinds.values()):
            raise UnknownNameError(name, [*structure, *(n for names in kinds.values() for n in names)])
    values = {kind: {n: given[n] for n in names if n in given} for kind, names in kinds.items()}
    return made, {kind: chosen for kind, chosen in values.items() if chosen}


def _check_outputs(files: Sequence[Path | None], *pictures: Path | None) -> None:
    """Find out before the work starts whether its results can be written."""
    for path in (*files, *pictures):
        if path is not None and not path.resolve().parent.is_dir():
            raise ValueProblem(f"{path} cannot be written: there is no folder {path.resolve().parent}; create it first")
        if path is not None and path.is_dir():
            raise ValueProblem(f"{path} cannot be written: it is a folder; give the name of a file")
    for picture in pictures:
        if picture is not None:
            from detent.view.files import check_ending

            check_ending(picture)


def _check_asked(of: list[str] | None, against: str | None, plot: Path | None, table: Path | None) -> None:
    """That what is chosen is also shown."""
    if of and plot is None and table is None:
        raise ValueProblem("--of says what to draw or write, which needs --plot or --csv; add one, or leave --of out")
    if against is not None and (plot is None or not of):
        raise ValueProblem("--against needs --plot and at least one --of: what is to be drawn against it; add them")


def _pictures(example: Example, wanted: dict[str, Path]) -> list[tuple[RunPicture, Path]]:
    """The pictures that are wanted, by their options; each finds out before the run whether it can show it."""
    if not wanted:
        return []
    from detent.view.run_pictures import RUN_PICTURES

    pictures = [(RUN_PICTURES[option], path) for option, path in wanted.items()]
    for picture, _ in pictures:
        if picture.check is not None:
            picture.check(example.system)
    return pictures


def _most_events(text: str) -> int | None:
    from detent.view.event_table import read_most

    return read_most(text)


def _print_events(result: Run, most: int | None) -> None:
    from detent.view.event_table import print_events

    print_events(result.events, most)


def _simulated(example: Example, changes: dict[str, Any], quiet: bool) -> tuple[Run, DetentError | None]:
    from detent.errors import SimulationError

    try:
        with _remarks_at_once():
            return example.simulate(**changes, progress=False if quiet else None), None
    except SimulationError as error:
        if error.run is None:
            raise
        return error.run, error


@contextlib.contextmanager
def _remarks_at_once() -> Iterator[None]:
    """What a run remarks goes to standard error while it runs, in words alone."""

    def show(message: Warning | str, category: type[Warning], *where: Any, **more: Any) -> None:
        print(f"detent: {message}", file=sys.stderr, flush=True)

    with warnings.catch_warnings():
        warnings.simplefilter("always", DetentWarning)
        warnings.showwarning = show
        yield


def _benchmarks() -> Any:
    """The benchmark runner: beside the package in a wheel, at the top of the repository otherwise."""
    import importlib

    top = Path(__file__).resolve().parents[2]
    if (top / "benchmarks" / "runner.py").is_file():
        sys.path.insert(0, str(top))
        return importlib.import_module("benchmarks.runner")
    return importlib.import_module("detent.benchmarks.runner")


def _fail(message: str, code: int) -> NoReturn:
    print(f"detent: {message}", file=sys.stderr)
    raise SystemExit(code)


def main() -> None:
    """Run the command line; every error of ours becomes one message and an exit code."""
    try:
        app()
    except DetentError as error:
        _fail(str(error), BAD_INPUT)


if __name__ == "__main__":
    main()
