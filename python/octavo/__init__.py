"""Record files for machine learning.

>>> import octavo
>>> with octavo.create("train.ffr") as writer:
...     writer.write_many(f"record {i}".encode() for i in range(100))
100
>>> reader = octavo.open("train.ffr")
>>> len(reader), reader[7], reader.read([9, 4])
(100, b'record 7', [b'record 9', b'record 4'])
"""

from octavo import compat, errors, shuffle, storage
from octavo._convert._convert import ConvertReport, convert
from octavo._core import Batch, __version__
from octavo._diff import Difference, DiffReport, diff
from octavo._digest import Digest, digest
from octavo._folder import ExtractReport, Folder, PackReport, pack
from octavo._manifest import write_manifest
from octavo._open import append, create, open, trim
from octavo._partition import Partition
from octavo._reader import Info, Reader
from octavo._recover import LostRange, RecoverReport, recover
from octavo._sidecar import write_index
from octavo._verify import Damage, VerifyReport, verify
from octavo._writer import Writer

__all__ = [
    "Batch",
    "ConvertReport",
    "Damage",
    "DiffReport",
    "Difference",
    "Digest",
    "ExtractReport",
    "Folder",
    "Info",
    "LostRange",
    "PackReport",
    "Partition",
    "Reader",
    "RecoverReport",
    "VerifyReport",
    "Writer",
    "__version__",
    "append",
    "compat",
    "convert",
    "create",
    "diff",
    "digest",
    "errors",
    "open",
    "pack",
    "recover",
    "shuffle",
    "storage",
    "trim",
    "verify",
    "write_index",
    "write_manifest",
]


def __getattr__(name: str) -> object:
    """Modules without an import of their own: few need them, or they bring in frameworks."""
    if name not in ("integrations", "tf_example", "torch"):
        message = f"module 'octavo' has no attribute {name!r}"
        raise AttributeError(message)
    from importlib import import_module  # noqa: PLC0415 - here alone

    return import_module(f"octavo.{name}")
