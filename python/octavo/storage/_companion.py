"""A process that talks to object stores for one that was forked."""

from __future__ import annotations

import itertools
import os
import pickle
import signal
import struct
import subprocess
import sys
import threading
from concurrent.futures import Future, ThreadPoolExecutor
from typing import IO, Any

from octavo.errors import StorageError, UnsupportedError

_HEAD = struct.Struct("<Q")
_CALLS_AT_ONCE = 32


class Companion:
    """A process that makes calls for this one. It ends when its input does."""

    def __init__(self) -> None:
        program = f"import sys; sys.path[:] = {sys.path!r}; from octavo.storage import _companion; _companion.serve()"
        self._process = subprocess.Popen(  # noqa: S603 - this interpreter, and a text of ours
            [sys.executable, "-c", program], stdin=subprocess.PIPE, stdout=subprocess.PIPE
        )
        self._numbers = itertools.count()
        self._waiting: dict[int, Future[Any]] = {}
        self._lock = threading.Lock()
        threading.Thread(target=self._listen, name="octavo-companion", daemon=True).start()

    @property
    def is_alive(self) -> bool:
        """Whether it still answers."""
        return self._process.poll() is None

    def call(self, function: str, arguments: tuple[Any, ...], options: dict[str, Any]) -> Any:
        """Ask, and wait for the answer."""
        answer: Future[Any] = Future()
        number = next(self._numbers)
        try:
            question = pickle.dumps((number, function, arguments, options), protocol=5)
        except Exception as error:
            message = "a store that lives in the memory of a process cannot be used in a fork of it; use spawn instead"
            raise UnsupportedError(message) from error
        with self._lock:
            self._waiting[number] = answer
            assert self._process.stdin is not None  # noqa: S101 - it is a pipe
            try:
                _send(self._process.stdin, question)
            except OSError as error:
                raise _lost() from error
            except BaseException:  # Ctrl-C: half a question would spoil the next one
                self.end()
                raise
        return answer.result()

    def end(self) -> None:
        """Give up everything that it is asked for."""
        self._process.kill()

    def _listen(self) -> None:
        assert self._process.stdout is not None  # noqa: S101 - it is a pipe
        while (content := _receive(self._process.stdout)) is not None:
            number, value, error = pickle.loads(content)  # noqa: S301 - our own process
            answer = self._waiting.pop(number)
            if error is None:
                answer.set_result(value)
            else:
                answer.set_exception(error)
        with self._lock:
            waiting, self._waiting = self._waiting, {}
        for answer in waiting.values():
            answer.set_exception(_lost())


def serve() -> None:
    """Answer calls until the input ends: what a companion does."""
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # whoever asks has heard it, too, and ends the input
    questions, answers = sys.stdin.buffer, os.fdopen(os.dup(1), "wb")
    os.dup2(2, 1)  # what others print is no answer
    lock = threading.Lock()

    def answer(number: int, function: str, arguments: tuple[Any, ...], options: dict[str, Any]) -> None:
        from octavo.storage import _remote  # noqa: PLC0415 - here an error is an answer

        try:
            value, error = _portable(getattr(_remote, function)(*arguments, **options)), None
        except Exception as failure:  # noqa: BLE001 - it is handed on
            value, error = None, failure
        try:
            content = pickle.dumps((number, value, error), protocol=5)
        except Exception as failure:  # noqa: BLE001 - as much as can be said of it
            content = pickle.dumps((number, None, StorageError(f"{failure}: {error}")), protocol=5)
        with lock:
            _send(answers, content)

    with ThreadPoolExecutor(max_workers=_CALLS_AT_ONCE) as pool:
        while (content := _receive(questions)) is not None:
            pool.submit(answer, *pickle.loads(content))  # noqa: S301 - from our own process
    if (remote := sys.modules.get("octavo.storage._remote")) is not None:
        remote.abort_all()  # whoever had begun them has ended


def _portable(value: Any) -> Any:
    """Buffers of obstore cannot be pickled; their bytes can."""
    if isinstance(value, list):
        return [_portable(one) for one in value]
    return bytes(value) if type(value).__module__.startswith("obstore") else value


def _send(pipe: IO[bytes], content: bytes) -> None:
    pipe.write(_HEAD.pack(len(content)))
    pipe.write(content)
    pipe.flush()


def _receive(pipe: IO[bytes]) -> bytes | None:
    head = pipe.read(_HEAD.size)
    if len(head) < _HEAD.size:
        return None
    (size,) = _HEAD.unpack(head)
    content = pipe.read(size)
    return content if len(content) == size else None


def _lost() -> StorageError:
    return StorageError("the process that talks to the object store for this one has ended")
