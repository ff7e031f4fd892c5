"""The names a user can see, and what importing them costs."""

from __future__ import annotations

import dataclasses
import inspect
import subprocess
import sys
import types

import pytest

import octavo
from octavo import errors

FRAMEWORKS = (
    "numpy",
    "torch",
    "tensorflow",
    "pyarrow",
    "jax",
    "pandas",
    "grain",
    "apache_beam",
    "ray",
    "fsspec",
    "obstore",
    "pyspark",
    "asyncio",
)

WITH_FRAMEWORKS = {"cli", "integrations", "tf_example", "torch", "viewer"}
"""Modules that are there once somebody has imported them."""


def run_python(code: str) -> str:
    """What a fresh interpreter prints."""
    done = subprocess.run([sys.executable, "-W", "error", "-c", code], capture_output=True, text=True, check=True)
    return done.stdout.strip()


def test_the_list_of_public_names_is_sorted():
    assert octavo.__all__ == sorted(octavo.__all__)


def test_the_list_of_public_names_is_complete():
    # Importing a package's modules leaves them as its attributes; those behind the surface begin with "_".
    seen = {name for name in vars(octavo) if not name.startswith("_")} - WITH_FRAMEWORKS
    assert seen == set(octavo.__all__) - {"__version__"}


def test_the_public_names_are_the_ones_of_the_design():
    assert set(octavo.__all__) == {
        "Batch", "ConvertReport", "Damage", "DiffReport", "Difference", "Digest", "ExtractReport", "Folder", "Info",
        "LostRange", "PackReport", "Partition", "Reader", "RecoverReport", "VerifyReport", "Writer",
        "__version__", "append", "compat", "convert", "create", "diff", "digest", "errors", "open", "pack", "recover",
        "shuffle", "storage", "trim", "verify", "write_index", "write_manifest",
    }  # fmt: skip


SIGNATURES = {
    "open": (
        "(location, *, format=None, check_data=True, io='auto', cache_bytes='256MB', index_storage='memory', "
        "sidecar=True)"
    ),
    "create": (
        "(path, *, format=None, overwrite=True, codec=None, group_size=None, transpose=None, "
        "pad_to_block_boundary=None, window_log=None, transpose_bucket_size=None, max_parallelism=None, "
        "saturation_delay_ms=None, options=None, dialect=None, max_chunk_bytes=None, sidecar=False)"
    ),
    "append": "(path, *, format=None)",
    "convert": (
        "(source, target, *, source_format=None, format=None, shards=None, max_records=None, max_bytes=None, "
        "shuffle=None, overwrite=False, verify=True, codec=None, group_size=None, transpose=None, options=None, "
        "dialect=None, max_chunk_bytes=None, sidecar=False, column=None, target_column=None, layout='auto', "
        "target_layout=None, progress=None)"
    ),
    "diff": "(a, b, *, limit=10, progress=None)",
    "digest": "(location, *, format=None, column=None, layout='auto', progress=None)",
    "pack": "(folder, target, *, overwrite=False, progress=None)",
    "recover": "(source, target, *, format=None, overwrite=False, progress=None)",
    "trim": "(path, *, format=None)",
    "verify": "(location, *, format=None, progress=None)",
    "write_index": "(location, *, format=None)",
    "write_manifest": "(location, target, *, format=None)",
}


@pytest.mark.parametrize("name", SIGNATURES)
def test_options_are_keywords_with_these_defaults(name):
    signature = inspect.signature(getattr(octavo, name))
    bare = [parameter.replace(annotation=inspect.Parameter.empty) for parameter in signature.parameters.values()]
    assert str(inspect.Signature(bare)) == SIGNATURES[name]


def test_what_info_tells_is_what_the_design_says():
    assert {field.name for field in dataclasses.fields(octavo.Info)} == {
        "format", "dialect", "dialect_confirmed", "codec", "level", "group_size", "transposed", "chunk_count",
        "encoded_bytes", "decoded_bytes", "writer_options", "torn_bytes", "sidecar", "record_count", "file_count",
        "total_bytes", "check_data", "io", "paths",
    }  # fmt: skip


def test_a_star_import_gives_every_public_name():
    namespace: dict[str, object] = {}
    exec("from octavo import *", namespace)
    assert set(octavo.__all__) <= set(namespace)


@pytest.mark.parametrize("name", octavo.__all__)
def test_every_public_class_and_function_is_documented(name):
    thing = getattr(octavo, name)
    assert isinstance(thing, str) or thing.__doc__


def test_the_version_is_the_distributions():
    from importlib.metadata import version

    assert octavo.__version__ == version("octavo")


def test_the_list_of_errors_is_every_error():
    classes = {name for name, thing in vars(errors).items() if isinstance(thing, type) and issubclass(thing, Exception)}
    assert sorted(classes) == errors.__all__


def test_modules_behind_the_surface_are_private():
    modules = {name for name, thing in vars(octavo).items() if isinstance(thing, types.ModuleType)} - WITH_FRAMEWORKS
    assert {name for name in modules if not name.startswith("_")} == {"compat", "errors", "shuffle", "storage"}


def test_integrations_need_no_import_of_their_own():
    assert run_python("import octavo; print(octavo.integrations.__name__)") == "octavo.integrations"
    with pytest.raises(AttributeError, match="module 'octavo' has no attribute 'jax'"):
        octavo.jax  # noqa: B018 - asking is the test


def test_import_brings_in_no_framework():
    loaded = run_python(f"import octavo, sys; print([name for name in {FRAMEWORKS} if name in sys.modules])")
    assert loaded == "[]"


@pytest.mark.parametrize("suffix", [".ffr", ".array_record", ".riegeli", ".recordio", ".tfrecord"])
def test_reading_and_writing_bring_in_no_framework(tmp_path, suffix):
    path = str(tmp_path / f"records{suffix}")
    code = f"""
import sys
import octavo
with octavo.create({path!r}) as writer:
    writer.write_many([b"a", b"b"])
reader = octavo.open({path!r})
reader[0], reader[[0, 1]], reader.read_batch([1])[0], list(reader), reader.info, reader.partitions(2)
print([name for name in {FRAMEWORKS} if name in sys.modules])
"""
    assert run_python(code) == "[]"


def test_the_package_says_that_it_has_types():
    from importlib.resources import files

    assert files("octavo").joinpath("py.typed").is_file()
