"""How an answer of octavo and one of a twin are compared."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Final, TypeVar

Answer = TypeVar("Answer")


class DisagreementError(AssertionError):
    """octavo and a twin, or two ways through octavo, say different things of the same bytes."""


@dataclasses.dataclass(frozen=True)
class Refused:
    """No answer, for the bytes are not what they should be. All refusals are equal."""

    reason: str = dataclasses.field(default="", compare=False)


REFUSED: Final = Refused()


def answer_of(call: Callable[[], Answer], refusals: type[Exception] | tuple[type[Exception], ...]) -> Answer | Refused:
    """What the call returns, or that it refuses; any other error passes through, and is a finding."""
    try:
        return call()
    except refusals as error:
        return Refused(f"{type(error).__name__}: {error}")


def agree(what: str, found: object, expected: object) -> None:
    """Raise if these two differ."""
    if found != expected:
        message = f"{what}: octavo says {found!r:.2000}, and should say {expected!r:.2000}"
        raise DisagreementError(message)
