"""The hook of the build: what it asks of the builder of a wheel."""

import runpy
import sys
import tomllib
from pathlib import Path

import pytest

building = pytest.importorskip("hatchling.builders.wheel")
ROOT = Path(__file__).parents[1]
SYSTEMS = {"darwin": "macosx_", "win32": "win"}


@pytest.fixture
def asked(monkeypatch):
    """Return a function that runs the hook with a compiler that writes an empty library, or with none."""
    hook_class = runpy.run_path(str(ROOT / "hatch_build.py"))["Kernels"]

    def ask(*, has_compiler=True, version="standard", build=None):
        def written(folder=None):
            folders.append(folder)
            if folder is None or not has_compiler:
                return None
            library = folder / "kernels.so"
            library.touch()
            return library

        folders = []
        monkeypatch.setattr(runpy, "run_path", lambda _: {"build": build or written})
        builder = building.WheelBuilder(str(ROOT), config=tomllib.loads((ROOT / "pyproject.toml").read_text()))
        hook = hook_class(str(ROOT), {}, builder.config, builder.metadata, "", "wheel")
        build_data = builder.get_default_build_data() | {"force_include": {}}
        hook.initialize(version, build_data)
        held = {target: Path(source) for source, target in build_data["force_include"].items()}
        assert all(path.exists() for path in held.values())
        hook.finalize(version, build_data, "")
        assert not any(path.exists() for path in held.values()), "a folder is left"
        return folders, list(held), build_data["pure_python"], build_data.get("tag")

    return ask


def test_a_wheel_holds_the_kernels(asked):
    """A wheel with the library is for this platform, and for every version of Python."""
    _, held, is_pure, tag = asked()
    assert held == ["howsure/native/kernels.so"]
    assert not is_pure
    python, abi, platform = tag.split("-")
    assert (python, abi) == ("py3", "none")
    assert platform.startswith(SYSTEMS.get(sys.platform, "linux_"))


@pytest.mark.parametrize("version", ["standard", "editable"])
def test_a_pure_wheel_is_had_on_request(asked, monkeypatch, version):
    """With HOWSURE_NATIVE=0 nothing is compiled, and the wheel serves every platform."""
    monkeypatch.setenv("HOWSURE_NATIVE", "0")
    build = runpy.run_path(str(ROOT / "src" / "howsure" / "native" / "compile.py"))["build"]
    assert asked(version=version, build=build) == ([], [], True, None)  # hatchling's own tag is then py3-none-any


def test_without_a_compiler_the_wheel_is_pure(asked):
    """Where nothing can be compiled the wheel serves every platform too."""
    assert asked(has_compiler=False)[1:] == ([], True, None)


def test_an_editable_install_compiles_in_place(asked):
    """An editable install compiles beside the sources, and has nothing to hold."""
    assert asked(version="editable") == ([None], [], True, None)


def test_a_mac_s_wheel_is_for_what_was_compiled(asked, monkeypatch):
    """On a Mac the tag follows the compiler's settings, not those with which Python was built."""
    packaging = pytest.importorskip("packaging.tags")
    monkeypatch.setattr(sys, "platform", "darwin")
    monkeypatch.setattr("platform.machine", lambda: "arm64")
    monkeypatch.setattr(packaging, "sys_tags", lambda: iter([packaging.Tag("cp311", "cp311", "macosx_14_0_arm64")]))
    monkeypatch.setenv("MACOSX_DEPLOYMENT_TARGET", "11.0")
    assert asked()[-1] == "py3-none-macosx_11_0_arm64"
    monkeypatch.setenv("MACOSX_DEPLOYMENT_TARGET", "10.9")
    monkeypatch.setenv("ARCHFLAGS", "-arch arm64 -arch x86_64")
    assert asked()[-1] == "py3-none-macosx_10_9_universal2"
