"""The dispatcher as an actor of Ray, which starts it again when its process dies."""

from __future__ import annotations

import time
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from octavo._arguments import at_least_one
from octavo._partition import Partition
from octavo.errors import ClosedError, NotFoundError, OctavoError, OptionError, UnsupportedError
from octavo.integrations._source import open_source
from octavo.integrations._staging_folder import absolute
from octavo.integrations.elastic._answers import Failure, Settings, Status
from octavo.integrations.elastic._fingerprint import fingerprint
from octavo.integrations.elastic._service import Service
from octavo.shuffle._arguments import whole_seed
from octavo.storage._urls import is_url

try:
    import ray
except ImportError as error:
    message = "octavo.integrations.elastic needs Ray: pip install 'octavo[ray]'"
    raise ImportError(message) from error

if TYPE_CHECKING:
    import os

    from octavo import Reader
    from octavo._location import Location

_NAMESPACE = "octavo"
_PAUSE_S = 0.1


def start(
    records: Location | Reader | Sequence[Partition],
    folder: str | os.PathLike[str],
    *,
    max_records: int = 10_000,
    epochs: int = 1,
    seed: int | None = None,
    lease_s: float = 60.0,
    timeout_s: float | None = None,
    max_attempts: int = 3,
    name: str | None = None,
    detached: bool = False,
) -> Dispatcher:
    """Start a dispatcher of tasks, or go on with what an earlier one has left in the folder.

    Args:
        records: Whatever `octavo.open` takes that other processes can open, too; a reader; or the tasks themselves, as
            `Reader.partitions` makes them.
        folder: A path or a URL that all machines share: where the job keeps what was committed, and the files that
            tasks write. A job that was interrupted goes on, if it is started with the same records, in files that
            have not changed since, and the same `epochs` and `seed`.
        max_records: The most records of a task.
        epochs: How often to go through the data. An epoch begins when the one before is over.
        seed: Hand out tasks in an order of their own in each epoch, which this chooses; None keeps that of the records.
        lease_s: A worker that was not heard of for so long has lost its task.
        timeout_s: A task that takes longer than this is lost, even if its worker is heard of.
        max_attempts: A task that was lost or failed so often is put aside, with its errors.
        name: By which `connect` finds the dispatcher from other programs.
        detached: Let it live on when this program ends, until `stop` is called. It needs a name for that.
    """
    settings = Settings(
        folder=_shared(folder),
        epochs=at_least_one("epochs", epochs),
        lease_s=_seconds("lease_s", lease_s),
        timeout_s=None if timeout_s is None else _seconds("timeout_s", timeout_s),
        max_attempts=at_least_one("max_attempts", max_attempts),
        seed=None if seed is None else whole_seed(seed),
    )
    if detached and name is None:
        raise OptionError("a dispatcher that is detached needs a name, or nobody could find it")
    partitions = _partitions(records, at_least_one("max_records", max_records))
    options: dict[str, Any] = {"num_cpus": 0, "max_restarts": -1, "max_task_retries": -1}
    if name is not None:
        options |= {"name": name, "namespace": _NAMESPACE}
    if detached:
        options["lifetime"] = "detached"
    try:
        actor = ray.remote(Service).options(**options).remote(partitions, settings, records=fingerprint(partitions))
    except ValueError as error:
        raise OptionError(f"the name {name!r} cannot be used: {error}") from error
    dispatcher = Dispatcher(actor)
    try:
        dispatcher.call("begin")
    except BaseException:
        dispatcher.stop()
        raise
    return dispatcher


def connect(name: str) -> Dispatcher:
    """The dispatcher that was started under a name, in whatever program of the same cluster."""
    try:
        return Dispatcher(ray.get_actor(name, namespace=_NAMESPACE))
    except ValueError as error:
        raise NotFoundError(f"no dispatcher of the name {name!r} runs in this cluster") from error


class Dispatcher:
    """A handle of a dispatcher, which can be passed to tasks and actors of Ray."""

    def __init__(self, actor: Any) -> None:
        self._actor = actor

    def call(self, method: str, /, *arguments: Any) -> Any:
        """Call the actor and wait. While Ray starts it again, this takes longer; if it has ended, it is an error."""
        try:
            return ray.get(getattr(self._actor, method).remote(*arguments))
        except ray.exceptions.RayTaskError as error:
            if isinstance(error.cause, OctavoError):
                raise error.cause from error
            raise
        except ray.exceptions.RayActorError as error:
            raise ClosedError("the dispatcher has ended") from error

    def status(self) -> Status:
        """How far the job is."""
        status: Status = self.call("status")
        return status

    def results(self, epoch: int = 0) -> dict[int, Any]:
        """What was committed in an epoch, which is counted from 0, by the number of the task."""
        results: dict[int, Any] = self.call("results", epoch)
        return results

    def failures(self) -> list[Failure]:
        """The tasks that were put aside, and why."""
        failures: list[Failure] = self.call("failures")
        return failures

    def retry_failed(self) -> int:
        """Hand out again what was put aside; returns how many tasks those are."""
        count: int = self.call("retry_failed")
        return count

    def wait(self, timeout_s: float | None = None) -> Status:
        """Wait until the job is over, or for so many seconds, and say how far it is.

        Raises:
            StorageError: All tasks are done, but files of some cannot be given their names.
        """
        deadline = None if timeout_s is None else time.monotonic() + timeout_s
        while not (status := self.status()).is_finished:
            if status.unpublished and (why := self.call("publishing_error")):
                raise why
            if deadline is not None and time.monotonic() >= deadline:
                break
            time.sleep(_PAUSE_S)
        return status

    def stop(self) -> None:
        """End the dispatcher. What was committed stays in the folder, and `start` goes on from there."""
        ray.kill(self._actor)


def _partitions(records: Any, max_records: int) -> list[Partition]:
    if isinstance(records, list | tuple) and records and all(isinstance(one, Partition) for one in records):
        return _reachable(list(records))
    reader, is_own = open_source(records)
    try:
        return _reachable(reader.partitions(max_records=max_records))
    finally:
        if is_own:
            reader.close()


def _reachable(partitions: list[Partition]) -> list[Partition]:
    """Refuse here what workers could not open."""
    for partition in partitions:
        for path in partition.paths:
            _check_is_reachable(path)
    return partitions


def _check_is_reachable(path: str) -> None:
    if is_url(path) and path.lower().startswith("memory:"):
        raise UnsupportedError(f"{path}: other processes cannot see what is in the memory of this one")


def _shared(folder: Any) -> str:
    """The folder as every machine can name it."""
    path = absolute(folder)
    _check_is_reachable(path)
    return path


def _seconds(name: str, value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 < value < float("inf"):
        raise OptionError(f"{name} is {value!r}; allowed are numbers of seconds above 0")
    return float(value)
