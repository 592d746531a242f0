"""A hook of hatchling: a wheel carries its kernels, translated to LLVM code, so that a first run need not do it."""

from __future__ import annotations

import shutil
import sys
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class CarriedKernels(BuildHookInterface[Any]):
    """Translates all kernel libraries while a wheel is built, and adds them to it."""

    PLUGIN_NAME = "custom"

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Before the files of a wheel are put together. An editable install follows its sources and carries nothing."""
        if version == "editable":
            return
        sys.path.insert(0, str(Path(self.root, "src")))
        from detent.jit import carried_kernels, kernel_crew
        from detent.kernels import LIBRARIES

        self._folder = Path(tempfile.mkdtemp(prefix="detent-wheel-"))
        jobs = [library.job() for library in LIBRARIES]
        made = kernel_crew.make_libraries(jobs, "translation")
        for job in jobs:
            carried_kernels.write(self._folder, job.translation, made[job.key])
        build_data["force_include"][str(self._folder)] = f"detent/jit/{carried_kernels.FOLDER}"

    def finalize(self, version: str, build_data: dict[str, Any], artifact_path: str) -> None:
        """After the wheel was written."""
        if version != "editable":
            shutil.rmtree(self._folder, ignore_errors=True)
