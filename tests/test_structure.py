"""Structure of the package: no import cycles, and no checks of the classes of tables and designs."""

import ast
import re
import tomllib
from graphlib import TopologicalSorter
from pathlib import Path

SOURCE = Path(__file__).parents[1] / "src" / "howsure"
MOST_INSTANCE_CHECKS = 35  # of tables and designs, outside their own folders
MOST_EXCEPTIONS = 80  # from the linter's rules
MOST_FLOORS = 12


def modules():
    """Return the path of each module by its name."""
    return {
        ".".join(("howsure", *path.relative_to(SOURCE).with_suffix("").parts)).removesuffix(".__init__"): path
        for path in SOURCE.rglob("*.py")
    }


def imports(path, known):
    """Return the package's own modules that a module imports anywhere, also inside functions and for types."""
    found = set()
    for node in ast.walk(ast.parse(path.read_text())):
        if isinstance(node, ast.Import):
            found |= {alias.name for alias in node.names}
        elif isinstance(node, ast.ImportFrom) and node.module:
            found |= {f"{node.module}.{alias.name}" for alias in node.names} | {node.module}
    return {name for name in found if name in known}


def test_no_module_imports_itself_through_others():
    """Imports have no circle, not even those inside functions or for annotations."""
    known = modules()
    faces = {name for name, path in known.items() if path.name == "__init__.py"}
    arrows = {name: imports(path, known) - faces - {name} for name, path in known.items() if name not in faces}
    TopologicalSorter(arrows).prepare()  # which names a circle
    assert len(arrows) > 300


def lines(pattern, *without):
    """Return the lines of the source that match a pattern, outside of some folders."""
    paths = [path for path in sorted(SOURCE.rglob("*.py")) if not {*path.relative_to(SOURCE).parts} & {*without}]
    return [line.strip() for path in paths for line in path.read_text().splitlines() if re.search(pattern, line)]


def test_tables_and_designs_are_asked():
    """Outside their folders few places check the class of a table, or of its design."""
    checks = lines(
        r"isinstance\([^)]*(Table|Tables|Design|Independent|Weighted|Clusters|FixedMargins|Separate|Linearised|Batch|Population|Known|Expected|Reviewed)\b",
        "tables",
        "designs",
    )
    assert len(checks) <= MOST_INSTANCE_CHECKS, "\n".join(checks)


def test_exceptions_from_the_rules_are_few():
    """The linter's rules have few exceptions, each with its reason."""
    noted = lines(r"# noqa")
    assert len(noted) <= MOST_EXCEPTIONS, len(noted)


def test_the_package_has_few_floors():
    """The main import contract has at most a dozen rows, so that readers can remember it."""
    contracts = tomllib.loads((SOURCE.parents[1] / "pyproject.toml").read_text())["tool"]["importlinter"]["contracts"]
    assert 1 < len(contracts[0]["layers"]) <= MOST_FLOORS
