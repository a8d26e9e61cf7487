"""Compile the kernels if there is a C compiler: ``python compile.py [FOLDER]``. The script needs only Python.

The build hook runs this file from the source tree, before anything is installed; ``make native`` does the same. If
compilation fails, the script prints a message, and howsure computes with NumPy.
"""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

HERE = Path(__file__).resolve().parent
SOURCES = sorted(HERE.glob("*.c"))
# Sums are rounded equally on every processor only without fused multiply-add.
OPTIONS = (
    "-std=c11",
    "-O3",
    "-DNDEBUG",
    "-ffp-contract=off",
    "-fno-math-errno",
    "-fno-trapping-math",
    "-fno-strict-aliasing",
    "-fvisibility=hidden",
    "-shared",
)
SUFFIXES = {"darwin": ".dylib", "win32": ".dll"}
LONGEST = 300  # seconds
OFF = ("0", "no", "off", "false")  # values of HOWSURE_NATIVE


def compiler() -> list[str] | None:
    """Return the command of a C compiler with the options of gcc: ``CC``, or the first found."""
    named = os.environ.get("CC", "").split()
    # On Windows `cc` is often that of a Unix emulation, whose libraries Python cannot load.
    known = [["clang"], ["gcc"]] if sys.platform == "win32" else [["cc"], ["gcc"], ["clang"]]
    for command in [named] if named else known:
        if shutil.which(command[0]):
            return command
    return None


def build(folder: Path = HERE) -> Path | None:
    """Compile the shared library into a folder and return its path; print a message and return None if that fails.

    Parameters
    ----------
    folder : Path
        Target folder; by default that of the sources, as for a checkout.
    """
    command = compiler()
    is_off = os.environ.get("HOWSURE_NATIVE", "").strip().lower() in OFF
    if is_off or command is None:
        say("no compiled kernels: " + ("HOWSURE_NATIVE is off" if is_off else "no C compiler is found"))
        return None
    target = folder / f"kernels{SUFFIXES.get(sys.platform, '.so')}"
    said = ""
    for more in ((), ("-DPLAIN",)):  # older compilers do not support all instruction sets
        try:
            with tempfile.TemporaryDirectory(dir=folder) as place:  # for an atomic move: others may be reading it
                made = Path(place) / target.name
                compiled(made, [*command, *OPTIONS, *more])
                made.replace(target)
        except (OSError, subprocess.SubprocessError) as error:
            said = str(getattr(error, "stderr", "") or error).strip()[-2000:]
        else:
            return target
    say(f"no compiled kernels: {command[0]} fails\n{said}")
    return None


def compiled(target: Path, command: list[str]) -> None:
    """Compile the sources into a file.

    Parameters
    ----------
    target : Path
        The file.
    command : list of str
        Compiler and options.

    Raises
    ------
    subprocess.SubprocessError
        If the compiler fails.
    """
    independent = [] if sys.platform == "win32" else ["-fPIC"]
    architectures = os.environ.get("ARCHFLAGS", "").split() if sys.platform == "darwin" else []
    parts = [*command, *independent, *architectures, "-o", str(target), *map(str, SOURCES)]
    subprocess.run(parts, check=True, capture_output=True, text=True, errors="backslashreplace", timeout=LONGEST)


def say(words: str) -> None:
    """Write a line to the log of the build."""
    sys.stderr.write(f"howsure: {words}\n")


if __name__ == "__main__":
    found = build(*map(Path, sys.argv[1:2]))
    if found is not None:
        say(f"compiled {found}")
