"""Structure of the package: no import cycles, and no checks of the classes of tables and designs."""

import ast
import dataclasses
import inspect
import re
import tomllib
from graphlib import TopologicalSorter
from pathlib import Path

from howsure.designs.base import Design, DesignProtocol
from howsure.metrics.metric import Metric
from howsure.tables.table import Table

SOURCE = Path(__file__).parents[1] / "src" / "howsure"
MOST_INSTANCE_CHECKS = 35  # of tables and designs, outside their own folders
MOST_EXCEPTIONS = 80  # from the linter's rules
MOST_FLOORS = 12
MOST_LINES = 450  # of a module
MOST_MEMBERS = 25  # public ones of an abstract class of designs
MOST_OF_A_DESIGN = 12
MOST_OF_A_TABLE = 25
MOST_OF_A_METRIC = 15  # fields
MOST_ANY = 25  # in 1,000 lines


def modules():
    """Return the path of each module by its name."""
    return {
        ".".join(("howsure", *path.relative_to(SOURCE).with_suffix("").parts)).removesuffix(".__init__"): path
        for path in SOURCE.rglob("*.py")
    }


def imports(path, known):
    """Return the package's own modules that a module imports anywhere, also inside functions and for types."""
    found, nodes = set(), [ast.parse(path.read_text())]
    while nodes:
        node = nodes.pop()
        for part in ("body", "orelse", "handlers", "finalbody", "cases"):  # imports are statements
            nodes += getattr(node, part, [])
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


def test_modules_are_short():
    """No module has more than 450 lines, so that it is read in one sitting."""
    long = {name: size for name, path in modules().items() if (size := len(path.read_text().splitlines())) > MOST_LINES}
    assert set(long) <= {"howsure.metrics.registry"}, long


def members(kind):
    """Return the public members of a class, with its fields."""
    own = {each.name for each in dataclasses.fields(kind)} if dataclasses.is_dataclass(kind) else set()
    return {name for name in dir(kind) if not name.startswith("_")} | own


def test_designs_have_a_small_core_and_narrow_protocols():
    """A design has at most a dozen members; the other members are in protocols by subject."""
    assert len(members(Design)) <= MOST_OF_A_DESIGN, members(Design)
    protocols = DesignProtocol.__subclasses__()
    assert len(protocols) >= 8
    for each in protocols:
        if inspect.isabstract(each):
            assert len(members(each)) <= MOST_MEMBERS, (each, members(each))


def test_tables_have_few_members():
    """What only some kinds of tables define, or a single caller uses, is no member of all tables."""
    assert len(members(Table)) <= MOST_OF_A_TABLE, members(Table)


def test_metrics_have_few_fields():
    """A metric is a record of functions; a new property of few metrics belongs to a structure."""
    assert len(dataclasses.fields(Metric)) <= MOST_OF_A_METRIC


def test_types_of_arrays_are_defined_once():
    """Modules import the types of arrays, and define none of their own."""
    own = [str(path) for path in modules().values() if "NDArray[" in path.read_text()]
    assert own == [str(SOURCE / "arrays.py")]


def test_any_is_rare():
    """Annotations say `Any` only where a body relies on it, so that type checkers see the rest."""
    texts = [path.read_text() for path in modules().values()]
    found = sum(len(re.findall(r"\bAny\b", text)) for text in texts)
    assert found <= MOST_ANY / 1000 * sum(text.count("\n") for text in texts), found
