"""A scene drawn frame by frame with matplotlib, as a GIF or as a film."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import IO, Any, Final

import numpy as np

from detent.errors import DetentError, MissingExtraError, ValueProblem
from detent.results.extras import require
from detent.results.run import Run
from detent.results.whole_file import write_whole
from detent.view.files import new_figure
from detent.view.scene import Scene
from detent.view.scene_drawing import TITLE, SceneDrawing

DPI: Final = 100
MOST_GIF_FPS: Final = 50
"""A GIF counts hundredths of a second, and viewers slow down what shows a frame for less than two."""
NARROWEST: Final = 4.8
"""A picture, in inches: a title needs room."""
LONGEST: Final = 6.4
"""Of the edges of a picture, in inches."""


def find_ffmpeg() -> str:
    """The program that makes films: the system's own, or that of the extra."""
    found = shutil.which("ffmpeg")
    if found is not None:
        return found
    try:
        imageio_ffmpeg: Any = require("imageio_ffmpeg", "make an .mp4", extra="film")
        return str(imageio_ffmpeg.get_ffmpeg_exe())
    except (MissingExtraError, RuntimeError):  # there is none in what was installed, on some machines
        raise DetentError(
            "an .mp4 is made by the program ffmpeg, which was not found; install the extra film, which brings it (pip "
            'install "detent[film]"), or the program itself (Debian: apt-get install ffmpeg, macOS: brew install '
            "ffmpeg, conda: conda install ffmpeg), or write .gif or .html, which need no program"
        ) from None


def write_gif(run: Run, scene: Scene, path: str | os.PathLike[str], fps: float) -> None:
    """Write a GIF. Its frames last whole hundredths of a second, chosen so that they add up to the time asked for."""
    if fps > MOST_GIF_FPS:
        raise ValueProblem(f"fps is {fps:g}; a GIF has at most {MOST_GIF_FPS}, so give fewer, or write .mp4 or .html")
    shown_until = np.round(np.arange(1, len(scene.times) + 1) * (100.0 / fps)).astype(int)
    durations = (10 * np.diff(shown_until, prepend=0)).tolist()
    pictures = _pictures(run, scene)

    def fill(file: IO[bytes]) -> None:
        from PIL import Image

        begin, *rest = (Image.fromarray(picture).quantize(128, dither=Image.Dither.NONE) for picture in pictures)
        begin.save(
            file, format="GIF", save_all=True, append_images=rest, duration=durations if rest else durations[0], loop=0
        )

    write_whole(path, fill)


def write_film(run: Run, scene: Scene, path: str | os.PathLike[str], fps: float) -> None:
    """Write an MP4 with ffmpeg."""
    ffmpeg, drawing = find_ffmpeg(), _drawing(run, scene)
    from matplotlib import rc_context
    from matplotlib.animation import FFMpegWriter

    # Nothing that differs between two films of the same run; and plain colours, which every player knows.
    options = ["-pix_fmt", "yuv420p", "-fflags", "+bitexact", "-flags:v", "+bitexact", "-movflags", "+faststart"]
    rate: Any = fps  # a number that need not be whole
    writer = FFMpegWriter(fps=rate, codec="libx264", extra_args=[*options, "-map_metadata", "-1", "-threads", "1"])
    with tempfile.TemporaryDirectory(prefix="detent-") as folder:
        made = Path(folder, "film.mp4")
        with rc_context({"animation.ffmpeg_path": ffmpeg}), writer.saving(drawing.figure, str(made), DPI):
            for number in range(len(scene.times)):
                drawing.show(number)
                writer.grab_frame()
        write_whole(path, lambda file: file.write(made.read_bytes()))


def _drawing(run: Run, scene: Scene) -> SceneDrawing:
    camera = scene.camera
    scale = LONGEST / max(camera.width, camera.height)
    # Whole, even numbers of dots, which films ask for.
    edges = (max(scale * camera.width + 0.4, NARROWEST), scale * camera.height + 0.4 + TITLE)
    size = [2 * round(edge * DPI / 2) / DPI for edge in edges]
    return SceneDrawing(run, scene, new_figure("draw a moving picture", figsize=size, dpi=DPI))


def _pictures(run: Run, scene: Scene) -> Iterator[Any]:
    """The frames one by one: dots of red, green and blue."""
    drawing = _drawing(run, scene)
    from matplotlib.backends.backend_agg import FigureCanvasAgg

    canvas: Any = FigureCanvasAgg(drawing.figure)
    for number in range(len(scene.times)):
        drawing.show(number)
        canvas.draw()
        yield np.asarray(canvas.buffer_rgba())[:, :, :3].copy()
