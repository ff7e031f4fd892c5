"""The distributions in `shims/`, which own the originals' import names."""

from __future__ import annotations

import importlib.util
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

SHIMS = Path(__file__).parents[2] / "shims"
ORIGINALS = {
    "array_record": ["array-record", "array-record-python"],
    "ffrecord": ["ffrecord"],
    "recordio": ["recordio", "pyrecordio"],
}


@pytest.fixture
def site(tmp_path: Path) -> Path:
    """A place for packages with octavo, the three shims and NumPy, and no originals."""
    for name in ("octavo", "numpy"):
        found = importlib.util.find_spec(name)
        if found is None or found.origin is None:
            pytest.skip(f"{name} is not installed")
        package = Path(found.origin).parent
        (tmp_path / name).symlink_to(package)
        if (libraries := package.with_name(f"{name}.libs")).exists():
            (tmp_path / libraries.name).symlink_to(libraries)
    for name in ORIGINALS:
        (tmp_path / name).symlink_to(SHIMS / name / name)
    return tmp_path


def install(distribution: str, site: Path) -> None:
    metadata = site / f"{distribution.replace('-', '_')}-1.0.dist-info"
    metadata.mkdir()
    (metadata / "METADATA").write_text(f"Metadata-Version: 2.1\nName: {distribution}\nVersion: 1.0\n")


def run_python(code: str, site: Path) -> subprocess.CompletedProcess[str]:
    """A fresh interpreter with nothing but its own library and what is in `site`."""
    code = f"import sys; sys.path.insert(0, {str(site)!r})\n{code}"
    command = [sys.executable, "-S", "-E", "-W", "error", "-c", code]
    return subprocess.run(command, capture_output=True, text=True, check=False)


@pytest.mark.parametrize("name", ORIGINALS)
def test_the_name_is_served_by_octavo(site, name):
    ran = run_python(f"import {name}; print({name}.__name__)", site)
    assert (ran.stdout.strip(), ran.stderr) == (f"octavo.compat.{name}", "")


def test_modules_below_the_name_are_served(site):
    ran = run_python(
        "import array_record.python.array_record_module as m; print(m.__name__, m.ArrayRecordReader)", site
    )
    assert ran.stdout.startswith("octavo.compat.array_record.python.array_record_module <class"), ran.stderr


@pytest.mark.parametrize(("name", "original"), [(name, one) for name, some in ORIGINALS.items() for one in some])
def test_beside_the_original_it_refuses_and_says_what_to_do(site, name, original):
    install(original, site)
    ran = run_python(f"import {name}", site)
    last = ran.stderr.strip().splitlines()[-1]
    assert ran.returncode == 1
    assert last.startswith(f"ImportError: octavo-{name.replace('_', '-')} and {original} are both installed")
    assert f"pip uninstall {original}" in last
    assert f'octavo.compat.activate("{name}")' in last


@pytest.mark.parametrize("name", ORIGINALS)
def test_the_distribution_is_named_after_octavo_and_owns_the_import_name(name):
    project = tomllib.loads((SHIMS / name / "pyproject.toml").read_text())
    assert project["project"]["name"] == f"octavo-{name.replace('_', '-')}"
    assert project["tool"]["hatch"]["build"]["targets"]["wheel"]["packages"] == [name]
    assert project["project"]["dependencies"][0].startswith("octavo")
