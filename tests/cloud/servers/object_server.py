"""What tests know of a server of objects, whichever it is."""

from __future__ import annotations

import dataclasses
from collections.abc import Callable
from typing import Any


@dataclasses.dataclass(frozen=True)
class ObjectServer:
    """One bucket on a server that runs."""

    scheme: str
    bucket: str
    endpoint: str
    environment: dict[str, str]
    """What URLs need in the environment to lead here."""
    config: dict[str, Any]
    """The same for a store that is made by hand."""
    upload: Callable[[str, bytes], None] | None = None
    """How an object gets there where obstore cannot write."""

    @property
    def writable(self) -> bool:
        return self.upload is None

    def url(self, key: str) -> str:
        return f"{self.scheme}://{self.bucket}/{key}"

    def store(self, **more: Any) -> Any:
        from obstore.store import from_url

        options = {"client_options": {"allow_http": True}, **self.config, **more}
        return from_url(f"{self.scheme}://{self.bucket}", **options)

    def put(self, key: str, data: bytes) -> None:
        import obstore

        if self.upload is not None:
            self.upload(key, data)
        else:
            obstore.put(self.store(), key, data)

    def get(self, key: str) -> bytes:
        import obstore

        return bytes(obstore.get(self.store(), key).bytes())

    def keys(self, prefix: str = "") -> list[str]:
        import obstore

        return sorted(found["path"] for page in obstore.list(self.store(), prefix) for found in page)
