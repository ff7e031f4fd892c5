"""Options of a store that gives up soon, for servers that fail on purpose."""

from __future__ import annotations

import datetime as dt
from typing import Any


def little_patience(timeout: str, retries: int = 3) -> dict[str, Any]:
    return {
        # A connection is used once: which one a proxy spoils must not depend on the requests before.
        "client_options": {"allow_http": True, "timeout": timeout, "pool_max_idle_per_host": "0"},
        "retry_config": {
            "max_retries": retries,
            "retry_timeout": dt.timedelta(seconds=60),
            "backoff": {
                "init_backoff": dt.timedelta(milliseconds=20),
                "max_backoff": dt.timedelta(milliseconds=100),
                "base": 2,
            },
        },
    }
