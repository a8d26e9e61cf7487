"""``python -m howsure.lab``: run a grid of truths, and write the page of what was found."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import numpy as np

from howsure.errors import HowsureError
from howsure.lab.grid import GRIDS, run, shuffled
from howsure.lab.page import page
from howsure.lab.summary import by_kind, picked, results


def main(arguments: Sequence[str] | None = None) -> int:
    """Run a command line and return the exit status."""
    given = _parser().parse_args(arguments)
    try:
        given.command(given)
    except HowsureError as error:
        sys.stderr.write(f"{error}\n")
        return 2
    return 0


def _parser() -> argparse.ArgumentParser:
    parser = argparse.ArgumentParser(prog="python -m howsure.lab", description=__doc__)
    commands = parser.add_subparsers(required=True)
    running = commands.add_parser("run", help="simulate, and go on where an earlier run stopped")
    running.add_argument("--out", type=Path, required=True, help="folder of the results")
    running.add_argument("--draws", type=int, default=1000, help="studies per truth")
    running.add_argument("--grid", choices=list(GRIDS), default="choose", help="truths to choose on, or to prove on")
    running.add_argument("--methods", nargs="+", default=["auto", "delta", "wald"], help="names of methods")
    running.add_argument("--metrics", nargs="+", default=[], help="spec strings; all count metrics by default")
    running.add_argument("--sample", type=int, help="only so many of the grid's truths, drawn by a fixed seed")
    running.add_argument("--processes", type=int, default=1, help="how many work at a time")
    running.set_defaults(command=_run)
    showing = commands.add_parser("show", help="print the summary of a folder")
    showing.add_argument("folder", type=Path)
    showing.add_argument("--by", default="asked", help="a column: asked (the method), average, metric, classes, n …")
    showing.add_argument("--method", help="only this method's cells")
    showing.set_defaults(command=_show)
    writing = commands.add_parser("page", help="write the page of a folder, with its pictures")
    writing.add_argument("folder", type=Path)
    writing.add_argument("path", type=Path)
    writing.add_argument("--peers", type=Path, help="folder of other packages' results on some of the truths")
    writing.set_defaults(command=lambda given: page(given.folder, given.path, given.peers))
    return parser


def _run(given: argparse.Namespace) -> None:
    settings = shuffled(GRIDS[given.grid](), given.sample)
    options = {"draws": given.draws, "processes": given.processes, "metrics": given.metrics}
    done = run(given.out, settings, given.methods, **options)
    sys.stdout.write(f"{done:,} of {len(settings) * len(given.methods):,} simulations were made now: {given.out}\n")


def _show(given: argparse.Namespace) -> None:
    found = results(given.folder)
    if given.by not in found:
        raise HowsureError.unknown("column", given.by, found)
    own = found["asked"] == given.method if given.method else np.ones(len(found["asked"]), dtype=bool)
    for name, grid in by_kind(picked(found, own), given.by).items():
        sys.stdout.write(f"{name}\n{grid.text()}\n\n")


if __name__ == "__main__":
    sys.exit(main())
