"""What `import ffrecord` gave: `FileReader`, `FileWriter`, packed folders, `utils.dump` and `ffrecord.torch`.

`ffrecord.torch` is imported when it is first used: nothing else here needs PyTorch.
"""

from __future__ import annotations

import importlib
from typing import Any

try:
    import numpy as np  # noqa: F401 - records are NumPy arrays here; to say now what is missing
except ImportError as error:
    message = "octavo.compat.ffrecord returns NumPy arrays: pip install 'octavo[numpy]'"
    raise ImportError(message) from error

from octavo import __version__ as _octavo_version
from octavo.compat.ffrecord import utils  # noqa: F401 - `ffrecord.utils.dump` needs no import of its own
from octavo.compat.ffrecord.fileio import FileReader, FileWriter, checkFsAlign
from octavo.compat.ffrecord.packed_folder import PackedFolder, pack_folder

__all__ = ["FileReader", "FileWriter", "PackedFolder", "checkFsAlign", "pack_folder"]

__version__ = f"1.4.0+octavo.{_octavo_version}"


def __getattr__(name: str) -> Any:
    if name == "torch":
        try:
            return importlib.import_module(f"{__name__}.torch")
        except ImportError as error:  # so that `hasattr` can ask for it
            raise AttributeError(str(error)) from error
    message = f"module {__name__!r} has no attribute {name!r}"
    raise AttributeError(message)
