"""The modules can be imported without Beam, and say what is missing when something of them is used."""

from __future__ import annotations

import subprocess
import sys

import pytest

MODULES = ("arrayrecordio", "dofns", "options", "pipelines", "example", "testdata", "demo")

WITHOUT_BEAM = """
import importlib, sys
sys.modules["apache_beam"] = None
sys.argv = ["script", "--help"]  # argparse would end the process
package = "octavo.compat.array_record.beam"
importlib.import_module(package)
modules = {name: importlib.import_module(f"{package}.{name}") for name in %r}
"""


def run(script: str) -> str:
    program = WITHOUT_BEAM % (MODULES,) + script
    done = subprocess.run(
        [sys.executable, "-W", "error", "-c", program], capture_output=True, text=True, check=False, timeout=120
    )
    assert done.returncode == 0, done.stderr
    return done.stdout


def test_importing_everything_needs_neither_beam_nor_tensorflow():
    assert run("print([name for name in ('tensorflow', 'numpy') if name in sys.modules])") == "[]\n"


@pytest.mark.parametrize(
    "use",
    [
        "from octavo.compat.array_record.beam.arrayrecordio import WriteToArrayRecord; WriteToArrayRecord('prefix')",
        "from octavo.compat.array_record.beam.dofns import ConvertToArrayRecordGCS; ConvertToArrayRecordGCS()",
        "sys.argv = ['script']; modules['options'].get_arguments()",
        "sys.argv = ['script']; modules['pipelines'].def_args",
        "modules['pipelines'].convert_tf_to_arrayrecord_gcs(args={'input': 'a', 'output': 'b'})",
        "modules['demo'].main()",
    ],
)
def test_using_something_names_the_extra(use):
    told = run(f"try:\n    {use}\nexcept ImportError as error:\n    print(error.name, error)")
    assert told.startswith("apache_beam array_record.beam needs Apache Beam")
    assert "pip install 'octavo[beam]'" in told


def test_a_beam_that_lacks_something_is_not_called_missing(monkeypatch):
    from octavo.compat.array_record.beam import arrayrecordio

    def import_module(_name):
        raise ModuleNotFoundError("No module named 'grpc'", name="grpc")

    monkeypatch.setattr("importlib.import_module", import_module)
    with pytest.raises(ModuleNotFoundError, match="grpc"):
        _ = arrayrecordio.WriteToArrayRecord


@pytest.mark.parametrize("name", ["arrayrecordio", "dofns", "pipelines", "demo"])
def test_other_names_are_not_there(name):
    import importlib

    module = importlib.import_module(f"octavo.compat.array_record.beam.{name}")
    with pytest.raises(AttributeError, match="no attribute 'Absent'"):
        _ = module.Absent
