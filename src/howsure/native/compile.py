"""Compile the kernels, where there is a C compiler: ``python compile.py [FOLDER]``. Nothing but Python is needed.

The hook of the build runs this file as it stands in the source tree, before anything is installed, and so does
``make native``. Where nothing can be compiled it says so, and howsure computes with NumPy.
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
# Sums are rounded alike on every processor only if none joins a product with a sum.
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
OFF = ("0", "no", "off", "false")  # words of HOWSURE_NATIVE


def compiler() -> list[str] | None:
    """Return the command of a C compiler that takes the options of gcc: ``CC``, or the first that is found."""
    named = os.environ.get("CC", "").split()
    for command in [named] if named else [["cc"], ["gcc"], ["clang"]]:
        if shutil.which(command[0]):
            return command
    return None


def build(folder: Path = HERE) -> Path | None:
    """Compile the shared library into a folder and return its path; None, with a word on why, where that fails.

    Parameters
    ----------
    folder : Path
        By default that of the sources, from which a checkout runs.
    """
    command = compiler()
    is_off = os.environ.get("HOWSURE_NATIVE", "").strip().lower() in OFF
    if is_off or command is None:
        say("no compiled kernels: " + ("HOWSURE_NATIVE is off" if is_off else "no C compiler is found"))
        return None
    target = folder / f"kernels{SUFFIXES.get(sys.platform, '.so')}"
    said = ""
    for more in ((), ("-DPLAIN",)):  # older compilers do not know all instruction sets by name
        try:
            with tempfile.TemporaryDirectory(dir=folder) as place:  # moved there in one piece: others may be reading it
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
    """Write a line for whoever builds."""
    sys.stderr.write(f"howsure: {words}\n")


if __name__ == "__main__":
    found = build(*map(Path, sys.argv[1:2]))
    if found is not None:
        say(f"compiled {found}")
