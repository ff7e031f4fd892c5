"""Methods that one generation of the original calls on an object, and the other on its class."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Concatenate, Generic, ParamSpec, TypeVar

Owner = TypeVar("Owner")
Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


class on_object_or_class(Generic[Owner, Arguments, Result]):
    """A method that works on a new object when it is called on the class."""

    def __init__(self, method: Callable[Concatenate[Owner, Arguments], Result]) -> None:
        self._method = method
        self.__doc__ = method.__doc__

    def __get__(self, instance: Owner | None, owner: Callable[[], Owner]) -> Callable[Arguments, Result]:
        """Bind to the object, or to a new one."""
        return functools.partial(self._method, owner() if instance is None else instance)
