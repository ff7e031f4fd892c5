"""`octavo.compat.activate`: imports of the originals' names give octavo's drop-ins."""

from __future__ import annotations

import importlib
import subprocess
import sys
import types
from collections.abc import Iterator
from pathlib import Path

import pytest

import octavo
from octavo import compat, errors
from tests.imports import originals_out_of_sight

NAMES = ("array_record", "ffrecord", "recordio")


@pytest.fixture(autouse=True)
def as_it_was() -> Iterator[None]:
    with originals_out_of_sight():
        yield


@pytest.fixture
def original(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> str:
    """A package that is installed under the name of a drop-in."""
    (tmp_path / "recordio").mkdir()
    (tmp_path / "recordio" / "__init__.py").write_text("from recordio import part\nSERVED_BY = 'the original'\n")
    (tmp_path / "recordio" / "part.py").write_text("")
    monkeypatch.syspath_prepend(tmp_path)
    return "recordio"


def run_python(code: str, *paths: Path) -> str:
    """What a fresh interpreter prints, with these folders among the places for imports."""
    places = "".join(f"import sys; sys.path.insert(0, {str(path)!r})\n" for path in paths)
    command = [sys.executable, "-W", "error", "-c", places + code]
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout.strip()


@pytest.mark.parametrize("name", NAMES)
def test_an_activated_name_is_octavos_package_itself(name):
    pytest.importorskip("numpy")
    compat.activate(name)
    assert importlib.import_module(name) is importlib.import_module(f"octavo.compat.{name}")


def test_modules_below_it_are_the_same_objects():
    compat.activate("array_record")
    there = importlib.import_module("array_record.python.array_record_module")
    assert there is importlib.import_module("octavo.compat.array_record.python.array_record_module")
    assert sys.modules["array_record.python"] is sys.modules["octavo.compat.array_record.python"]


def test_redirection_leaves_the_modules_own_names_alone():
    compat.activate("array_record")
    module = importlib.import_module("array_record.python.array_record_module")
    name = "octavo.compat.array_record.python.array_record_module"
    assert module.__name__ == name
    assert isinstance(module.__spec__, importlib.machinery.ModuleSpec)
    assert module.__spec__.name == name


def test_without_names_all_are_activated():
    pytest.importorskip("numpy")
    compat.activate()
    for name in NAMES:
        assert importlib.import_module(name).__name__ == f"octavo.compat.{name}"


def test_only_what_was_named_is_activated(original):
    compat.activate("array_record")
    assert importlib.import_module(original).SERVED_BY == "the original"


def test_the_original_is_passed_over_where_it_is_installed(original):
    compat.activate(original)
    assert importlib.import_module(original).__name__ == "octavo.compat.recordio"


def test_an_original_that_was_imported_before_is_replaced_with_a_warning(original):
    before = importlib.import_module(original)
    with pytest.warns(RuntimeWarning, match="recordio was imported before octavo.compat.activate"):
        compat.activate(original)
    assert importlib.import_module(original) is not before
    assert f"{original}.part" not in sys.modules


def test_activating_twice_is_activating_once(original):
    compat.activate(original)
    ours = importlib.import_module(original)
    compat.activate(original)
    assert importlib.import_module(original) is ours


def test_deactivating_gives_the_original_back(original):
    before = importlib.import_module(original)
    with pytest.warns(RuntimeWarning, match="imported before"):
        compat.activate(original)
    importlib.import_module(original)
    compat.deactivate(original)
    assert importlib.import_module(original) is before
    assert sys.modules[f"{original}.part"] is before.part


def test_deactivating_what_is_not_active_does_nothing(original):
    before = importlib.import_module(original)
    compat.deactivate(original)
    assert importlib.import_module(original) is before


def test_names_without_a_drop_in_are_refused():
    with pytest.raises(errors.OptionError, match="there is no drop-in for 'tfrecord', only for array_record"):
        compat.activate("tfrecord")


def test_modules_that_do_not_exist_are_not_found(original):
    compat.activate(original)
    with pytest.raises(ModuleNotFoundError, match=r"recordio\.nothing"):
        importlib.import_module(f"{original}.nothing")


def test_reloading_and_importing_from_work_as_with_any_module():
    compat.activate("array_record")
    namespace: dict[str, object] = {}
    exec("from array_record.python import array_record_module as found", namespace)
    module = namespace["found"]
    assert isinstance(module, types.ModuleType)
    assert importlib.reload(module) is module


def test_a_program_can_be_run_by_its_redirected_name():
    code = (
        "import runpy, octavo.compat\n"
        "octavo.compat.activate('array_record')\n"
        "print(runpy.run_module('array_record.beam.testdata')['data'][0].keys() >= {'Age', 'Movie'})"
    )
    assert run_python(code) == "True"


def test_activation_imports_nothing_that_is_not_asked_for():
    code = (
        "import sys, octavo.compat\n"
        "octavo.compat.activate()\n"
        "print([name for name in ('numpy', 'torch', 'octavo.compat.ffrecord') if name in sys.modules])"
    )
    assert run_python(code) == "[]"


def test_classes_are_pickled_under_names_that_need_no_activation(tmp_path):
    with octavo.create(tmp_path / "records.array_record") as writer:
        writer.write(b"abc")
    code = (
        "import pickle, octavo.compat\n"
        "octavo.compat.activate('array_record')\n"
        "from array_record.python.array_record_data_source import ArrayRecordDataSource\n"
        f"print(pickle.dumps(ArrayRecordDataSource({str(tmp_path / 'records.array_record')!r})).hex())"
    )
    pickled = run_python(code)
    assert run_python(f"import pickle; print(pickle.loads(bytes.fromhex('{pickled}'))[0])") == "b'abc'"


def test_tests_that_live_in_the_originals_folders_are_found(original, tmp_path):
    (tmp_path / "recordio" / "part_test.py").write_text("from recordio import File\n")
    compat.activate(original)
    assert importlib.import_module("recordio.part_test").File.__module__.startswith("octavo.compat.recordio")
    assert importlib.import_module("recordio.part").__file__ == str(tmp_path / "recordio" / "part.py")


def test_a_warning_that_is_an_error_comes_when_all_is_done(original):
    importlib.import_module(original)
    with pytest.raises(RuntimeWarning, match="imported before"):  # pytest makes errors of warnings
        compat.activate()
    assert importlib.import_module(original).__name__ == "octavo.compat.recordio"
    assert importlib.import_module("array_record").__name__ == "octavo.compat.array_record"
