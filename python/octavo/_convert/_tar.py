"""Tar files, as WebDataset lays them out: each file is a record, or all files that share a key are one.

A sample is a serialized `tf.train.Example`: the key as `__key__`, and the content of each file under its extension
(docs/guide/containers.md).
"""

from __future__ import annotations

import bisect
import contextlib
import itertools
from collections.abc import Iterator
from typing import Literal, NamedTuple, TypeAlias

from octavo import _tf_example
from octavo._convert._blocks import in_blocks, in_named_blocks
from octavo._convert._input import Given, Inputs, check_size
from octavo._convert._publish import Target, open_zipped_output, write_pieces
from octavo._convert._source import BLOCK_RECORDS, Block
from octavo._convert._tar_members import BLOCK, Members, encode_member, shown_name
from octavo.errors import FormatError, OptionError

Layout: TypeAlias = Literal["auto", "files", "samples"]
File: TypeAlias = tuple[str, bytes]

KEY = "__key__"
_PADDED_TO = 20 * BLOCK  # as tar does it


class _Mark(NamedTuple):
    """Where a record begins."""

    record: int
    input: int
    offset: int


class TarSource:
    """Archives, one after the other."""

    def __init__(self, inputs: Given, *, layout: Layout = "auto") -> None:
        self._inputs = Inputs(inputs)
        self._layout = layout
        self._is_guessed = layout == "auto"
        self._marks = [_Mark(0, 0, 0)]
        self._at = self._marks[0]
        self._last_key: str | None = None
        self._position = 0
        self.record_count: int | None = None
        self.total_bytes = self._inputs.total_bytes

    def count(self) -> int:
        """How many records there are. Goes from header to header the first time, and remembers where they are."""
        if self.record_count is None:
            marks, records = [], 0
            for _ in self._records(self._marks[0], 0, contents=False):
                if records % BLOCK_RECORDS == 0:
                    marks.append(self._at)
                records += 1
            self._marks = marks or self._marks
            self.record_count = records
        return self.record_count

    def blocks(self, start: int = 0, stop: int | None = None) -> Iterator[Block]:
        """Records `start` to `stop`, in order."""
        if stop is not None and stop <= start:
            return
        mark = self._marks[bisect.bisect_right(self._marks, start, key=lambda mark: mark.record) - 1]
        found = itertools.islice(self._records(mark, start), None if stop is None else stop - start)
        for first in found:  # once there is one, it is known what records are
            records = itertools.chain([first], found)
            if self._layout == "samples":
                yield from in_blocks(map(self._sample, records), lambda: self._position)
            else:
                yield from in_named_blocks(itertools.chain.from_iterable(records), lambda: self._position)
            return

    def close(self) -> None:
        """Nothing stays open between blocks."""

    def _records(self, mark: _Mark, start: int, *, contents: bool = True) -> Iterator[list[File]]:
        """The files of each record from `start` on; `self._at` is where the one that was given last begins."""
        at = mark._replace(record=mark.record - 1)
        for number in range(mark.input, len(self._inputs.names)):
            offset = mark.offset if number == mark.input else 0
            with self._inputs.open(number, offset) as opened:
                members = Members(opened, offset)
                files: list[File] = []
                while (name := members.next()) is not None:
                    if not self._joins(name, files):
                        if files and at.record >= start:
                            self._at, self._position = at, opened.position
                            yield files
                        at, files = _Mark(at.record + 1, number, offset), []
                    if contents and at.record >= start:
                        files.append((name, members.content()))
                    else:
                        members.skip()
                        files.append((name, b""))
                    offset = members.offset
                if files:
                    self._layout = "files" if self._layout == "auto" else self._layout
                    if at.record >= start:
                        self._at, self._position = at, opened.position
                        yield files

    def _joins(self, name: str, files: list[File]) -> bool:
        """Whether a file belongs to the record of those before it. The second file tells what records are."""
        if self._layout == "files" and not self._is_guessed:
            return False
        last_key, self._last_key = self._last_key, _key_of(name)
        if not files:
            return False
        is_same = self._last_key is not None and self._last_key == last_key
        if self._layout == "auto":
            self._layout = "samples" if is_same else "files"
        if is_same and self._layout == "files":
            raise OptionError(
                f"{self._path}: {shown_name(files[-1][0])} and {shown_name(name)} share a key, though the first files "
                "do not; say whether files are records (layout='files') or share one (layout='samples')",
                path=self._path,
            )
        return is_same

    @property
    def _path(self) -> str:
        return self._inputs.names[self._at.input]

    def _sample(self, files: list[File]) -> bytes:
        """The record of all files of a key."""
        key = _key_of(files[0][0])
        features: dict[str, list[bytes]] = {}
        for name, content in files:
            extension = "" if key is None else name[len(key) + 1 :]
            if key is None or extension == KEY or not _is_utf8(extension):
                raise FormatError(
                    f"{self._path}: {shown_name(name)} cannot be part of a sample: a name is a key, a dot and an "
                    "extension; read the archive with layout='files'",
                    path=self._path,
                )
            if extension in features:
                raise FormatError(f"{self._path}: {shown_name(name)} comes twice in its sample", path=self._path)
            features[extension] = [content]
        check_size(sum(len(content) for _, content in files), f"sample {shown_name(key or '')}", self._path)
        features[KEY] = [(key or "").encode("utf-8", "surrogateescape")]
        return _tf_example.encode(features)


def _key_of(name: str) -> str | None:
    """The path up to the first dot of the last part; None if there is nothing on either side of a dot."""
    dot = name.find(".", name.rfind("/") + 1)
    return name[:dot] if dot > 0 and name[dot - 1] != "/" else None


def _is_utf8(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


class TarSink:
    """One archive; compressed if its name ends in `.gz` or `.tgz`."""

    def __init__(
        self, target: Target, *, overwrite: bool = False, layout: Layout = "files", suffix: str = ".bin"
    ) -> None:
        self._output = open_zipped_output(target, overwrite=overwrite)
        self._is_samples = layout == "samples"
        self._suffix = suffix
        self._records = 0
        self._size = 0
        self._last_key = ""

    def write(self, block: Block) -> None:
        """Add records."""
        pieces: list[bytes] = []
        for position, record in enumerate(block.records):
            if self._is_samples:
                files = self._files_of(record)
            else:
                name = block.names[position] if block.names is not None else f"{self._records:09d}{self._suffix}"
                files = [(name, record)]
            for file in files:
                pieces += encode_member(*file, self._output.name)
            self._records += 1
        self._size += write_pieces(self._output, pieces)

    def close(self) -> None:
        """Finish: the file appears, whole and durable."""
        with contextlib.closing(self._output):
            self._output.write(bytes(2 * BLOCK + -(self._size + 2 * BLOCK) % _PADDED_TO))
            self._output.commit()

    def abort(self) -> None:
        """Give up: nothing is left."""
        self._output.close()

    def _files_of(self, record: bytes) -> list[File]:
        """The files of a sample, such that reading them gives this very record."""
        try:
            features = _tf_example.parse(record)
        except FormatError as error:
            raise self._not_a_sample(str(error)) from error
        keys = features.pop(KEY, [])
        if len(keys) != 1 or not isinstance(keys[0], bytes) or not features:
            raise self._not_a_sample(f"an example with one text as {KEY}, and something besides, is wanted")
        key = keys[0].decode("utf-8", "surrogateescape")
        files = []
        for extension, values in sorted(features.items()):
            if len(values) != 1 or not isinstance(values[0], bytes):
                raise self._not_a_sample(f"feature {shown_name(extension)} is not one string of bytes")
            name = f"{key}.{extension}"
            if _key_of(name) != key or "/" in extension or extension == KEY:
                raise self._not_a_sample(f"{shown_name(name)} would not be read as key and extension")
            files.append((name, values[0]))
        if key == self._last_key:
            raise self._not_a_sample(f"its key {shown_name(key)} is that of the record before, which it would join")
        if _tf_example.encode({KEY: keys, **features}) != record:
            raise self._not_a_sample("its features are not stored in the order of their names")
        self._last_key = key
        return files

    def _not_a_sample(self, reason: str) -> FormatError:
        message = f"{self._output.name}: record {self._records} is not a sample: {reason}; write it with layout='files'"
        return FormatError(message, path=self._output.name, record=self._records)
