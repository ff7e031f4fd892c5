"""Which store a URL means, and which key in it."""

from __future__ import annotations

import functools
import os
import re
from typing import TYPE_CHECKING, Any
from urllib.parse import unquote

from octavo.errors import NotFoundError, OptionError, UnsupportedError

if TYPE_CHECKING:
    from obstore.store import ObjectStore

_URL = re.compile(r"^(?P<scheme>[a-z][a-z0-9+.-]+)://(?P<rest>.*)$", re.IGNORECASE | re.DOTALL)
_USER = re.compile(r"^([a-z][a-z0-9+.-]+://)[^/@]*@", re.IGNORECASE)
_SCHEMES = ("s3", "s3a", "gs", "az", "azure", "abfs", "abfss", "adl", "http", "https", "memory")
# What obstore reads of the environment: a store is made anew when it changes.
_ENVIRONMENT = ("AWS_", "GOOGLE_", "AZURE_", "AZURITE_", "IDENTITY_", "MSI_", "SERVICE_ACCOUNT")


def is_url(text: str) -> bool:
    """Whether a text is the URL of something that is no local file."""
    return _URL.match(text) is not None and not text.lower().startswith("file://")


def local_path(text: str) -> str:
    """The path that a text means: its own, or that of a `file://` URL."""
    if not text.lower().startswith("file://"):
        return text
    host, slash, path = text[len("file://") :].partition("/")
    if host not in ("", "localhost"):
        message = f"{text}: files of other machines cannot be opened; file:///path names one of this machine"
        raise OptionError(message, path=text)
    return unquote(slash + path)


def split(url: str) -> tuple[ObjectStore, str, str]:
    """The store of a URL, the key in it, and what stands before the key."""
    found = _URL.match(url)
    scheme = found["scheme"].lower() if found else ""
    if found is None or scheme not in _SCHEMES:
        known = ", ".join(f"{one}://" for one in ("s3", "gs", "az", "http", "https", "memory", "file"))
        message = f"{url}: octavo knows no such kind of URL; it knows {known}, and file objects of any other kind"
        raise NotFoundError(message, path=url)
    if scheme == "memory":
        return _memory(), found["rest"].lstrip("/"), "memory://"
    authority, _, key = found["rest"].partition("/")
    if not authority:
        message = f"{url}: the URL names no bucket or host"
        raise NotFoundError(message, path=url)
    root = f"{scheme}://{authority}"
    if scheme in ("http", "https"):
        if "?" in key or "#" in key:
            message = f"{url}: URLs with a query cannot be opened; pass a file object of a library that can"
            raise UnsupportedError(message, path=url)
        key = unquote(key)
    environment = tuple(sorted((name, text) for name, text in os.environ.items() if name.startswith(_ENVIRONMENT)))
    return _store(scheme, root, environment), key.lstrip("/"), root + "/"


@functools.lru_cache(maxsize=64)
def _store(scheme: str, root: str, _environment: tuple[tuple[str, str], ...]) -> ObjectStore:
    store = _stores()
    try:
        if scheme in ("http", "https"):
            return store.HTTPStore.from_url(root, client_options={"allow_http": scheme == "http"})
        return store.from_url(root)
    except Exception as error:
        message = f"{shown(root)}: the store cannot be set up: {str(error).split(chr(10), 1)[0]}"
        raise OptionError(message, path=shown(root)) from error


@functools.cache
def _memory() -> ObjectStore:
    """The one store behind all `memory://` URLs of the process."""
    memory: ObjectStore = _stores().MemoryStore()
    return memory


def _stores() -> Any:
    try:
        from obstore import store  # noqa: PLC0415 - optional, and takes long to import
    except ImportError as error:
        message = "object stores need obstore: pip install 'octavo[cloud]'"
        raise ImportError(message, name=error.name) from error
    return store


def shown(url: str) -> str:
    """A URL without the name and password of a user."""
    return _USER.sub(r"\1", url)


def name_of(store: ObjectStore) -> str:
    """What to put before the keys of a store that somebody else has made."""
    kind = type(store).__name__
    config: dict[str, Any] = dict(getattr(store, "config", None) or {})
    prefix = str(getattr(store, "prefix", None) or "").strip("/")
    if kind == "HTTPStore":
        return shown(str(store.url)).rstrip("/") + "/"
    schemes = {"S3Store": ("s3", "bucket"), "GCSStore": ("gs", "bucket"), "AzureStore": ("az", "container_name")}
    if kind in schemes:
        scheme, holder = schemes[kind]
        root = f"{scheme}://{config.get(holder, '')}/"
    elif kind == "MemoryStore":
        root = "memory://"
    else:
        root = f"<{kind}>/"
    return f"{root}{prefix}/" if prefix else root
