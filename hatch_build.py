"""The hook of the build: a wheel holds the compiled kernels where a C compiler is found; elsewhere it is a pure one.

With the environment variable ``HOWSURE_NATIVE=0`` nothing is compiled: the wheel is pure, and serves every platform.
"""

from __future__ import annotations

import runpy
import tempfile
from pathlib import Path
from typing import Any

from hatchling.builders.hooks.plugin.interface import BuildHookInterface


class Kernels(BuildHookInterface):  # type: ignore[type-arg]
    """Compile the kernels into the wheel; into the source tree if that is what is installed."""

    PLUGIN_NAME = "custom"
    folder: tempfile.TemporaryDirectory[str] | None = None

    def initialize(self, version: str, build_data: dict[str, Any]) -> None:
        """Compile, and tag the wheel by the platform: it has no part of Python's, so one serves all versions."""
        build = runpy.run_path(str(Path(self.root, "src", "howsure", "native", "compile.py")))["build"]
        if version == "editable":
            build()
            return
        self.folder = tempfile.TemporaryDirectory()
        library = build(Path(self.folder.name))
        if library is not None:
            build_data["force_include"][str(library)] = f"howsure/native/{library.name}"
            build_data["pure_python"] = False
            # hatchling's platform heeds what the compiler does: ARCHFLAGS and MACOSX_DEPLOYMENT_TARGET. That of
            # sysconfig is the one for which Python was built.
            build_data["tag"] = "py3-none-" + self.build_config.builder.get_best_matching_tag().rsplit("-", 1)[1]

    def finalize(self, *_: Any) -> None:
        """Take the folder away."""
        if self.folder is not None:
            self.folder.cleanup()
