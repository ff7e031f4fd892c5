"""A source, and a way to end its conversion in the middle."""

from __future__ import annotations

import pytest

import octavo
from octavo._convert import _run
from tests.convert.adversary import Ended, write


@pytest.fixture
def source(working_folder):  # noqa: ARG001 - the file is made there
    """A file of a thousand records."""
    return write("source.tfrecord")


@pytest.fixture
def interrupted(monkeypatch):
    """A conversion that is ended before the third of its files, or some other."""

    def convert(*arguments, after=2, **options):
        run_one = _run.Runner._run_one
        begun: list[object] = []

        def few(self, job):
            if len(begun) >= after:
                raise Ended
            begun.append(job)
            run_one(self, job)

        with monkeypatch.context() as patched:
            patched.setattr(_run.Runner, "_run_one", few)
            with pytest.raises(Ended):
                octavo.convert(*arguments, **options)

    return convert
