"""Calls that run at the same time."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from concurrent import futures
from typing import Any, TypeVar

T = TypeVar("T")


def run_in_parallel(
    function: Callable[..., T], list_of_kwargs_to_function: Sequence[Mapping[str, Any]], num_workers: int
) -> list[T]:
    """The results of all calls, in their order; the first exception is raised."""
    if num_workers < 1:
        raise ValueError("num_workers must be >=1 for parallelism.")
    if len(list_of_kwargs_to_function) == 1:
        return [function(**list_of_kwargs_to_function[0])]
    with futures.ThreadPoolExecutor(num_workers) as pool:
        calls = [pool.submit(function, **keywords) for keywords in list_of_kwargs_to_function]
        return [call.result() for call in calls]
