"""Methods that one generation of the original calls on an object, and the other on its class."""

from __future__ import annotations

import functools
from collections.abc import Callable
from typing import Concatenate, Generic, ParamSpec, TypeVar

Owner = TypeVar("Owner")
Arguments = ParamSpec("Arguments")
Result = TypeVar("Result")


class on_object_or_class(Generic[Owner, Arguments, Result]):
    """A method that is given None for an object when it is called on the class."""

    def __init__(self, method: Callable[Concatenate[Owner | None, Arguments], Result]) -> None:
        self._method = method
        self.__doc__ = method.__doc__

    def __get__(self, instance: Owner | None, owner: type[Owner]) -> Callable[Arguments, Result]:
        """Bind to the object, or to none."""
        return functools.partial(self._method, instance)
