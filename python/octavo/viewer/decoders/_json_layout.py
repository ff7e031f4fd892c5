"""JSON set out in lines, token by token, without becoming values: time and memory follow what is asked for."""

from __future__ import annotations

import dataclasses
import re
from typing import Final

_TOKEN: Final = re.compile(
    r"""[ \t\r\n]*(?:
        (?P<string>"[^"\\\x00-\x1f]*+(?:\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})[^"\\\x00-\x1f]*+)*+")
        |(?P<scalar>-?(?:0|[1-9][0-9]*+)(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?|true|false|null)
        |(?P<mark>[{}\[\],:])
    )""",
    re.VERBOSE,
)
_CUT_STRING: Final = re.compile(
    r'"(?:[^"\\\x00-\x1f]++|\\["\\/bfnrt]|\\u[0-9a-fA-F]{4})*+(?:\\(?:u[0-9a-fA-F]{0,3})?)?'
)
_CUT_NUMBER: Final = re.compile(r"\.?|[eE][+-]?")  # what follows the part of it that is a number
_CUT_SCALAR: Final = re.compile(r"-?|t(?:ru?)?|f(?:a(?:ls?)?)?|n(?:ul?)?")
_BLANKS: Final = re.compile(r"[ \t\r\n]*")
_STEP = "  "
_MOST_DEPTH = 1000  # as Python's own reader, by its limit of recursion
_MOST_INDENTED = 40  # levels; beyond that lines would be blanks before all
_CLOSING: Final = {"{": "}", "[": "]"}

# What may come next.
_VALUE, _VALUE_OR_END, _KEY, _KEY_OR_END, _COLON, _COMMA_OR_END = range(6)


class JsonError(ValueError):
    """Where and why text is no JSON."""


@dataclasses.dataclass(frozen=True, slots=True)
class Layout:
    """Lines of JSON, and how many characters of the original they show."""

    text: str
    consumed: int


def laid_out(text: str, most_characters: int, *, is_whole: bool) -> Layout:
    """The object or array in lines with two blanks for each level, until there are that many characters.

    Args:
        text: JSON, or the beginning of it.
        most_characters: What the lines are ended after.
        is_whole: Whether the text is all there is: what is open at its end is then an error.

    Raises:
        JsonError: The text is no JSON, as far as it was looked at.
    """
    return _Printer(text, most_characters, is_whole=is_whole).lines()


class _Printer:
    def __init__(self, text: str, most_characters: int, *, is_whole: bool) -> None:
        self.text = text
        self.left = most_characters
        self.is_whole = is_whole
        self.at = 0
        self.expected = _VALUE
        self.open: list[str] = []  # containers within which it is
        self.pieces: list[str] = []

    def lines(self) -> Layout:
        while self.left > 0:
            found = _TOKEN.match(self.text, self.at)
            if found is None:
                self._end_of_tokens()
                break
            piece = found[found.lastgroup or 0]
            if not self.is_whole and found.lastgroup == "scalar" and _CUT_NUMBER.fullmatch(self.text, found.end()):
                break  # it may go on where the text was cut
            self._take(piece, found.lastgroup)
            self.at = found.end()
            if not self.open:
                self._refuse_more()
                break
        return Layout("".join(self.pieces), self.at)

    def _end_of_tokens(self) -> None:
        """What comes is no token: fine only where the text was cut within one."""
        at = self._after_blanks()
        if not self.is_whole and _CUT_SCALAR.fullmatch(self.text, at):
            return
        if not self.is_whole and self.expected not in (_COLON, _COMMA_OR_END) and _CUT_STRING.fullmatch(self.text, at):
            if self.open[-1] == "[" or self.expected != _VALUE:
                self._new_line()
            self._put(self.text[at:])
            self.at = len(self.text)
            return
        rest = self.text[at : at + 1]
        raise JsonError(f"at character {at}: " + (f"unexpected {rest!r}" if rest else "it ends too early"))

    def _after_blanks(self) -> int:
        blanks = _BLANKS.match(self.text, self.at)
        return self.at if blanks is None else blanks.end()

    def _take(self, piece: str, group: str | None) -> None:
        if group == "mark" and piece in "}]":
            self._close(piece)
        elif group == "mark" and piece in ",:":
            self._separate(piece)
        elif self.expected in (_KEY, _KEY_OR_END):
            if group != "string":
                raise self._unexpected(piece)
            self._new_line()
            self._put(piece)
            self.expected = _COLON
        elif self.expected in (_VALUE, _VALUE_OR_END):
            self._value(piece, group)
        else:
            raise self._unexpected(piece)

    def _value(self, piece: str, group: str | None) -> None:
        if not self.open and group != "mark":
            raise JsonError("it is neither an object nor an array")
        if self.open and self.open[-1] == "[":
            self._new_line()
        self._put(piece)
        self.expected = _COMMA_OR_END
        if group == "mark":
            self.open.append(piece)
            self.expected = _KEY_OR_END if piece == "{" else _VALUE_OR_END
            if len(self.open) > _MOST_DEPTH:
                raise JsonError(f"at character {self.at}: nested deeper than {_MOST_DEPTH}")

    def _close(self, piece: str) -> None:
        is_empty = self.expected in (_KEY_OR_END, _VALUE_OR_END)
        if not (is_empty or self.expected == _COMMA_OR_END) or not self.open or piece != _CLOSING[self.open[-1]]:
            raise self._unexpected(piece)
        self.open.pop()
        if not is_empty:
            self._new_line()
        self._put(piece)
        self.expected = _COMMA_OR_END

    def _separate(self, piece: str) -> None:
        if piece == ":" and self.expected == _COLON:
            self._put(": ")
            self.expected = _VALUE
        elif piece == "," and self.expected == _COMMA_OR_END:
            self._put(",")
            self.expected = _KEY if self.open[-1] == "{" else _VALUE
        else:
            raise self._unexpected(piece)

    def _new_line(self) -> None:
        self._put("\n" + _STEP * min(len(self.open), _MOST_INDENTED))

    def _put(self, text: str) -> None:
        self.pieces.append(text)
        self.left -= len(text)

    def _refuse_more(self) -> None:
        self.at = self._after_blanks()
        if self.at < len(self.text):
            raise JsonError(f"at character {self.at}: more follows after its end")

    def _unexpected(self, piece: str) -> JsonError:
        return JsonError(f"at character {self.at}: unexpected {piece[:20]}")
