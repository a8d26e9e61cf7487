"""``howsure examples``: the files that the documents' examples read."""

from __future__ import annotations

import shutil
from pathlib import Path

from howsure.cli.output import say_written
from howsure.errors import HowsureError


def examples(folder: Path = Path("examples"), /) -> None:
    """Write the example data of the documentation.

    Parameters
    ----------
    folder
        Target folder; it must not exist.
    """
    from howsure.sources.example_data import example_folder

    if folder.exists():
        raise HowsureError(f"'{folder}' exists already. Name another folder: howsure examples FOLDER.")
    shutil.copytree(example_folder(), folder, ignore=shutil.ignore_patterns("*.py", "__pycache__"))
    say_written(folder)
