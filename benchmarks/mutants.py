"""Mutation test: the share of small random faults in the arithmetic that the tests detect.

Run ``python benchmarks/mutants.py [MUTANTS] [SEED] [ROOM ...]`` in the root of the repository, where all tests pass.
``python benchmarks/mutants.py LOG`` tries the survivors of an earlier run whose output was kept, after a change of
tests only. A mutant is the package with one changed token: a comparison flipped or shifted by one, + for −, × for ÷,
`and` for `or`, `min` for `max` and the like, a number raised by one, a condition negated. At most one is drawn from a
line. Tokens that only affect text (annotations, messages, f-strings) and lines marked `noqa` are not changed, nor is
the −1 of a shape, for which NumPy accepts any negative number.

1. Each mutant is tested with the nearest tests: the file named after its module, and the few files that most often
   mention the module or the changed function or class. The first failure kills it; so does exceeding the time limit.
2. A few survivors at a time are put into one copy, and all tests run to the end. Each survivor is then tested with the
   tests that failed, except those that fail without it. This is much faster than all tests for each mutant, and never
   counts too many as killed.

Prints each mutant, and then the survivors. Read them: some change nothing that can be observed.
"""

from __future__ import annotations

import ast
import os
import random
import re
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from importlib.util import cache_from_source
from itertools import chain
from pathlib import Path

ROOMS = ["designs", "methods", "metrics", "pooling", "imperfect_labels", "planning"]  # by default
PYTEST = ["-m", "pytest", "-q", "-rfE", "--tb=no", "-p", "no:randomly", "-p", "no:cacheprovider"]
EVERYTHING = "--continue-on-collection-errors"
FOLDERS = ["tests", "src"]  # of tests, and of docstrings with examples
LIMIT, LIMIT_TOGETHER = 150, 3600  # seconds
TOGETHER = 13  # survivors: of many one hides what another breaks

COMPARISONS = {
    ast.Lt: ("<", ["<=", ">="]),
    ast.LtE: ("<=", ["<", ">"]),
    ast.Gt: (">", [">=", "<="]),
    ast.GtE: (">=", [">", "<"]),
    ast.Eq: ("==", ["!="]),
    ast.NotEq: ("!=", ["=="]),
    ast.Is: ("is", ["is not"]),
    ast.IsNot: ("is not", ["is"]),
    ast.In: ("in", ["not in"]),
    ast.NotIn: ("not in", ["in"]),
}
ARITHMETIC = {ast.Add: "+-", ast.Sub: "-+", ast.Mult: "*/", ast.Div: "/*"}
PAIRS = ["minimum maximum", "min max", "any all", "argmin argmax", "floor ceil", "zeros ones", "cdf sf", "ppf isf"]
OPPOSITE = {name: other for pair in PAIRS for name, other in (pair.split(), pair.split()[::-1])}


@dataclass(frozen=True)
class Mutant:
    """One change: `new` in place of the text from `start` to `end` of a file, offsets in bytes."""

    path: str
    line: int
    column: int
    within: str  # class or function of the module
    start: int
    end: int
    new: str
    was: str

    def __str__(self) -> str:
        return f"{self.path}:{self.line}:{self.column}: {self.was or 'condition'} → {self.new.strip()}"


class Mutants(ast.NodeVisitor):
    """All mutants of a file."""

    def __init__(self, path: str, source: bytes) -> None:
        self.path, self.source, self.within = path, source, ""
        self.starts = [0]
        for line in source.splitlines(keepends=True):
            self.starts.append(self.starts[-1] + len(line))
        self.found: list[Mutant] = []
        self.visit(ast.parse(source))

    def place(self, node: ast.expr) -> tuple[int, int]:
        return (
            self.starts[node.lineno - 1] + node.col_offset,
            self.starts[node.end_lineno - 1] + node.end_col_offset,
        )

    def add(self, start: int, end: int, *new: str) -> None:
        line = self.source.count(b"\n", 0, start) + 1
        if b"noqa" not in self.source[self.starts[line - 1] : self.starts[line]]:
            was = self.source[start:end].decode()
            self.found += [
                Mutant(self.path, line, start - self.starts[line - 1] + 1, self.within, start, end, each, was)
                for each in new
            ]

    def between(self, left: ast.expr, right: ast.expr, sign: str, *new: str) -> None:
        start, end = self.place(left)[1], self.place(right)[0]
        at = self.source[start:end].find(sign.encode())
        if at >= 0:
            self.add(start + at, start + at + len(sign), *new)

    def generic_visit(self, node: ast.AST) -> None:
        for field, value in ast.iter_fields(node):
            if field not in {"annotation", "returns", "decorator_list"}:
                for each in value if isinstance(value, list) else [value]:
                    if isinstance(each, ast.AST):
                        self.visit(each)

    def skip(self, _: ast.AST) -> None:
        """Text, and checks for development only."""

    visit_Raise = visit_Assert = visit_JoinedStr = skip  # noqa: N815

    def definition(self, node: ast.FunctionDef | ast.ClassDef) -> None:
        outer, self.within = self.within, self.within or node.name
        self.generic_visit(node)
        self.within = outer

    visit_FunctionDef = visit_ClassDef = definition  # noqa: N815

    def visit_Compare(self, node: ast.Compare) -> None:
        sides = [node.left, *node.comparators]
        for left, right, operator in zip(sides, sides[1:], node.ops, strict=False):
            sign, new = COMPARISONS[type(operator)]
            self.between(left, right, sign, *new)
        self.generic_visit(node)

    def visit_BinOp(self, node: ast.BinOp) -> None:
        if type(node.op) in ARITHMETIC:
            sign, new = ARITHMETIC[type(node.op)]
            self.between(node.left, node.right, sign, new)
        self.generic_visit(node)

    def visit_BoolOp(self, node: ast.BoolOp) -> None:
        sign, new = ("and", "or") if isinstance(node.op, ast.And) else ("or", "and")
        self.between(node.values[0], node.values[1], sign, new)
        self.generic_visit(node)

    def visit_If(self, node: ast.If | ast.IfExp) -> None:
        start = self.place(node.test)[0]
        if not isinstance(node.test, ast.Compare | ast.BoolOp):  # those have mutants of their own
            self.add(start, start, "not ")
        self.generic_visit(node)

    visit_IfExp = visit_If  # noqa: N815

    def visit_Constant(self, node: ast.Constant) -> None:
        if type(node.value) in {int, float}:
            self.add(*self.place(node), repr(node.value + 1))

    def visit_Call(self, node: ast.Call) -> None:
        name = node.func.attr if isinstance(node.func, ast.Attribute) else getattr(node.func, "id", "")
        if name in OPPOSITE:
            end = self.place(node.func)[1]
            self.add(end - len(name), end, OPPOSITE[name])
        if name == "reshape":
            node.args = [each for each in node.args if ast.unparse(each) != "-1"]
        self.generic_visit(node)


def every(rooms: Sequence[str] = ROOMS) -> list[Mutant]:
    """Return all mutants of some rooms."""
    paths = sorted(str(path) for room in rooms for path in Path("src/howsure", room).rglob("*.py"))
    return [mutant for path in paths for mutant in Mutants(path, Path(path).read_bytes()).found]


def sample(size: int, seed: int, rooms: Sequence[str]) -> list[Mutant]:
    """Draw mutants at random, each from another line."""
    shuffled = every(rooms)
    random.Random(seed).shuffle(shuffled)  # noqa: S311
    lines = {(mutant.path, mutant.line): mutant for mutant in shuffled}
    print(f"{len(shuffled)} mutants on {len(lines)} lines; {min(size, len(lines))} drawn with seed {seed}.", flush=True)
    return list(lines.values())[:size]


def survivors_of(log: Path) -> list[Mutant]:
    """Return the mutants of a run's output that nothing had killed at its end."""
    found = re.findall(r"^(killed|lives|LIVES) +(.+?)  \[", log.read_text(), re.MULTILINE)
    last = {name: outcome for outcome, name in found}
    return [mutant for mutant in every() if last.get(str(mutant), "killed") != "killed"]


def folders(mutant: Mutant) -> list[Path]:
    """Return the folders of tests that mirror the module's, the nearest first."""
    nearest = Path("tests", *Path(mutant.path).parts[2:-1])
    return [nearest] if nearest.parent == Path("tests") else [nearest, nearest.parent]


def most_often(files: Iterable[Path], word: str) -> list[Path]:
    """Return the files that mention a word, the most often first."""
    pattern = re.compile(rf"\b({word})\b", re.IGNORECASE)
    mentions = {path: len(pattern.findall(path.read_text())) for path in sorted(files)}
    return sorted((path for path in mentions if mentions[path]), key=lambda path: -mentions[path])


def nearest_tests(mutant: Mutant) -> list[str]:
    """Return the test file named after the module, and those that most often mention it or the changed object."""
    module, near = Path(mutant.path).stem, [path for folder in folders(mutant) for path in folder.glob("test_*.py")]
    word = f"{mutant.within or module}|{module.replace('_', '[-_ ]?')}"
    named = [path for path in near if path.name == f"test_{module}.py"]
    chosen = named + most_often(near, word)[:2] + most_often(Path("tests").rglob("test_*.py"), word)[:1]
    return [str(path) for path in dict.fromkeys(chosen)]


class Copy:
    """A copy of the repository in which mutants are tried."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        for name in ("src", "tests", "examples", "docs"):
            shutil.copytree(name, folder / name)
        for name in ("conftest.py", "pyproject.toml", "README.md"):
            shutil.copy(name, folder)
        # The same examples each time, and bytecode kept.
        self.environment = {**os.environ, "PYTHONPATH": str(folder / "src"), "CI": "1"}
        self.environment.pop("PYTHONDONTWRITEBYTECODE", None)

    def write(self, path: str, source: bytes) -> None:
        (self.folder / path).write_bytes(source)
        Path(cache_from_source(str(self.folder / path))).unlink(missing_ok=True)

    def failures(self, mutants: list[Mutant], tests: list[str], *options: str, limit: int = LIMIT) -> list[str]:
        """Return the tests that fail on these mutants; "timeout" where they do not come to an end."""
        originals = {mutant.path: (self.folder / mutant.path).read_bytes() for mutant in mutants}
        for path, source in originals.items():
            changed = source
            for mutant in sorted((m for m in mutants if m.path == path), key=lambda m: -m.start):
                changed = changed[: mutant.start] + mutant.new.encode() + changed[mutant.end :]
            self.write(path, changed)
        command = [sys.executable, *PYTEST, *options, *tests]
        try:
            done = subprocess.run(
                command,
                cwd=self.folder,
                env=self.environment,
                capture_output=True,
                text=True,
                timeout=limit,
                check=False,
            )
        except subprocess.TimeoutExpired:
            return ["timeout"]
        finally:
            for path, source in originals.items():
                self.write(path, source)
        failed = re.findall(r"^(?:FAILED|ERROR) (.+?)(?: - .*)?$", done.stdout, re.MULTILINE)
        return failed or ([f"exit code {done.returncode}"] if done.returncode else [])


def survivors(copy: Copy, mutants: list[Mutant]) -> Iterator[Mutant]:
    """Try each mutant with the tests nearest to it, and yield the survivors."""
    for mutant in mutants:
        tests = nearest_tests(mutant)
        killers = copy.failures([mutant], tests, "-x") if tests else []
        print(f"{'killed' if killers else 'lives '} {mutant}  [{killers[0] if killers else ''}]", flush=True)
        if not killers:
            yield mutant


def unnoticed(copy: Copy, together: list[Mutant]) -> Iterator[Mutant]:
    """Run all tests on several mutants at once, and yield those that none of the failing tests detects alone."""
    failed = copy.failures(together, FOLDERS, EVERYTHING, limit=LIMIT_TOGETHER)
    anyway = copy.failures([], failed, EVERYTHING, limit=LIMIT_TOGETHER) if failed else []
    failed = [each for each in failed if each.startswith(tuple(FOLDERS)) and each not in anyway]
    for mutant in together:
        killers = copy.failures([mutant], failed, "-x", limit=LIMIT_TOGETHER) if failed else []
        print(f"{'killed' if killers else 'LIVES '} {mutant}  [{killers[0] if killers else ''}]", flush=True)
        if not killers:
            yield mutant


def main(mutants: list[Mutant]) -> None:
    """Print what became of the mutants."""
    os.nice(10)
    with tempfile.TemporaryDirectory() as folder:
        copy = Copy(Path(folder))
        left = list(survivors(copy, mutants))
        print(f"\n{len(left)} of {len(mutants)} left: some at a time, with all tests", flush=True)
        final = list(
            chain.from_iterable(unnoticed(copy, left[at : at + TOGETHER]) for at in range(0, len(left), TOGETHER))
        )
    print(f"\n{len(mutants) - len(final)} of {len(mutants)} killed. Survivors:", *final, sep="\n")


if __name__ == "__main__":
    if sys.argv[1:] and Path(sys.argv[1]).is_file():
        main(survivors_of(Path(sys.argv[1])))
    else:
        size, seed = (int(sys.argv[place]) if sys.argv[place:] else default for place, default in ((1, 60), (2, 0)))
        main(sample(size, seed, sys.argv[3:] or ROOMS))
