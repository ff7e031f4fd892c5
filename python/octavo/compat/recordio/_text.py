"""Records that are text, by the API of 2018, and bytes, by all later ones."""

from __future__ import annotations

import codecs
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable


class Text(bytes):
    """The bytes of a record, which also serve as text where text is expected.

    `'value: ' + record`, `record == 'abc'`, `'b' in record`, `str(record)` and `record.split(',')` take the record as
    UTF-8. Numbers and slices of it, its length and its hash are those of bytes.
    """

    __slots__ = ()

    def __str__(self) -> str:
        try:
            return self.decode()
        except UnicodeDecodeError as error:
            reason = f"{error.reason}; the record is not text: take it as bytes, as in bytes(record)"
            raise UnicodeDecodeError(error.encoding, error.object, error.start, error.end, reason) from None

    def __format__(self, specification: str) -> str:
        return format(str(self), specification)

    def encode(self, encoding: str = "utf-8", errors: str = "strict") -> bytes:
        """The text in an encoding, as of a str."""
        return str(self).encode(encoding, errors)

    def join(self, parts: Iterable[Any]) -> Any:
        """The parts with this between them: text if one of them is."""
        return _joined(self, tuple(parts))

    def __add__(self, other: Any) -> Any:
        return str(self) + other if isinstance(other, str) else _as_text(bytes(self) + other)

    def __radd__(self, other: Any) -> Any:
        return other + str(self) if isinstance(other, str) else _as_text(other + bytes(self))

    def __getitem__(self, key: Any) -> Any:
        return _as_text(super().__getitem__(key))

    def __contains__(self, part: Any) -> bool:
        return part in str(self) if isinstance(part, str) else super().__contains__(part)

    # UTF-8 sorts as its characters do, so that text is compared by its bytes.

    def __eq__(self, other: object) -> bool:
        return super().__eq__(_as_bytes(other))

    def __ne__(self, other: object) -> bool:
        return super().__ne__(_as_bytes(other))

    def __lt__(self, other: bytes | str) -> bool:
        return super().__lt__(_as_bytes(other))

    def __le__(self, other: bytes | str) -> bool:
        return super().__le__(_as_bytes(other))

    def __gt__(self, other: bytes | str) -> bool:
        return super().__gt__(_as_bytes(other))

    def __ge__(self, other: bytes | str) -> bool:
        return super().__ge__(_as_bytes(other))

    __hash__ = bytes.__hash__


def _as_bytes(other: Any) -> Any:
    # Half a surrogate pair is in no UTF-8, and must be no error here: a record that is text equals no text with one.
    return other.encode("utf-8", "surrogatepass") if isinstance(other, str) else other


def _text_or_bytes(name: str) -> Callable[..., Any]:
    """The method of that name: of str where an argument is one, else of bytes, and what that gives is Text again."""
    of_bytes = getattr(bytes, name, None)

    def method(self: Text, *arguments: Any, **named: Any) -> Any:
        if of_bytes is None or any(map(_is_text, (*arguments, *named.values()))):
            return getattr(str(self), name)(*map(_as_str, arguments), **named)
        return _as_text(of_bytes(self, *arguments, **named))

    method.__name__ = name
    method.__qualname__ = f"Text.{name}"
    method.__doc__ = f"As `str.{name}`, if it is given text or bytes have no such method, else as `bytes.{name}`."
    return method


def _is_text(argument: Any) -> bool:
    # `startswith` takes several at once, and `%`. No table of bytes is a dictionary.
    return isinstance(argument, str | dict) or (isinstance(argument, tuple) and any(map(_is_text, argument)))


def _as_str(argument: Any) -> Any:
    if isinstance(argument, tuple):
        return tuple(map(_as_str, argument))
    return str(argument) if isinstance(argument, Text) else argument


def _as_text(result: Any) -> Any:
    if isinstance(result, bytes):
        return Text(result)
    return type(result)(map(_as_text, result)) if isinstance(result, list | tuple) else result


# fmt: off
_METHODS = (
    "startswith", "endswith", "find", "rfind", "index", "rindex", "count", "replace", "removeprefix", "removesuffix",
    "strip", "lstrip", "rstrip", "split", "rsplit", "splitlines", "partition", "rpartition", "lower", "upper", "title",
    "capitalize", "swapcase", "casefold", "center", "ljust", "rjust", "zfill", "expandtabs", "translate", "format",
    "format_map", "isdecimal", "isnumeric", "isidentifier", "isprintable", "__mod__", "__mul__", "__rmul__",
)
# fmt: on
for _name in _METHODS:
    setattr(Text, _name, _text_or_bytes(_name))
_joined = _text_or_bytes("join")


def as_record(record: Any) -> bytes:
    """What is stored of a record: text as UTF-8, and the bytes of anything else that has some."""
    if isinstance(record, bytes):
        return record
    return Text(record.encode()) if isinstance(record, str) else memoryview(record).tobytes()


def kind_of_record(encoding: str | None) -> type[bytes]:
    """What a reader of the API of 2018 gives: text in the one encoding there is, or plain bytes without any."""
    if encoding is None:
        return bytes
    if codecs.lookup(encoding).name != "utf-8":
        message = f"records are text in UTF-8 or, with encoding=None, bytes: not {encoding!r}"
        raise ValueError(message)
    return Text
