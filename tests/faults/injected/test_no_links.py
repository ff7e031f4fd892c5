"""File systems that have no second names for a file, as those of memory cards and many in user space."""

from __future__ import annotations

import errno
import json
import os
from pathlib import Path

import octavo
from octavo.errors import AlreadyExistsError
from tests.faults.injected import preloaded
from tests.faults.injected.faults import Fault, Injector, Kind

NO_LINKS = Fault("no links", Kind.LINK, errno.EPERM, stays=True)


def write_without_links(library: str, folder: str) -> None:
    injector = Injector(library, folder)
    injector.arm(NO_LINKS, 0)
    path = os.path.join(folder, "run.array_record")
    with octavo.create(path, overwrite=False) as writer:
        writer.write(b"first")
    refused = False
    try:
        octavo.create(path, overwrite=False)
    except AlreadyExistsError:
        refused = True
    late = os.path.join(folder, "late.array_record")
    writer = octavo.create(late, overwrite=False)
    writer.write(b"second")
    Path(late).write_bytes(b"of somebody else")
    try:
        writer.close()
    except AlreadyExistsError:
        pass
    else:
        refused = False
    struck = injector.disarm()
    print(json.dumps([refused, Kind.LINK in struck]))  # noqa: T201 - what the test reads


def test_without_links_a_new_file_is_published_and_none_is_replaced(injector: Path, tmp_path: Path):
    assert preloaded.run(injector, write_without_links, folder=tmp_path) == [True, True]
    assert octavo.open(tmp_path / "run.array_record").read_all() == [b"first"]
    assert (tmp_path / "late.array_record").read_bytes() == b"of somebody else"
    assert sorted(os.listdir(tmp_path)) == ["late.array_record", "run.array_record"]
