"""Sample data as `tf.train.Example`, and files of it. Needs TensorFlow."""

from __future__ import annotations

import importlib
import os
import urllib.parse
import urllib.request
from typing import TYPE_CHECKING, Any

import octavo
from octavo.compat.array_record.beam import testdata

if TYPE_CHECKING:
    from octavo._open import Format


def generate_movie_examples() -> list[Any]:
    """Return the sample data, one `tf.train.Example` each."""
    return [
        _example(
            {
                "Age": _integers(visitor["Age"]),
                "Movie": _texts(*visitor["Movie"]),
                "Movie Ratings": _reals(*visitor["Movie Ratings"]),
                "Suggestion": _texts(visitor["Suggestion"]),
                "Suggestion Purchased": _reals(visitor["Suggestion Purchased"]),
                "Purchase Price": _reals(visitor["Purchase Price"]),
            }
        )
        for visitor in testdata.data
    ]


def generate_serialized_movie_examples() -> list[bytes]:
    """Return the sample data as serialized messages."""
    return [example.SerializeToString(deterministic=True) for example in generate_movie_examples()]


def write_example_to_tfrecord(example: Any, file_path: str | os.PathLike[str]) -> None:
    """Write one example into a TFRecord file."""
    _write(example, file_path, "tfrecord")


def write_example_to_arrayrecord(example: Any, file_path: str | os.PathLike[str]) -> None:
    """Write one example into an ArrayRecord file."""
    _write(example, file_path, "array_record")


def kitty_tfrecord(prefix: str = "", *, picture: bytes | None = None, url: str | None = None) -> None:
    """Write a picture of your cat, and its dimensions, into `kittymeow.tfrecord`.

    The original fetches a picture of its own from the network, which may not be there and is none of ours to promise.

    Args:
        prefix: The folder to write to.
        picture: The bytes of a JPEG, PNG, GIF or BMP file.
        url: Where to fetch them if they are not given; `https`, `http` or `file`.

    Raises:
        ValueError: There is neither a picture nor a URL, or the URL is of another kind.
    """
    if picture is None:
        picture = _fetch(url)
    tf = _tensorflow()
    height, width, depth = tf.io.decode_image(picture, expand_animations=False).shape
    example = _example(
        {
            "height": _integers(height),
            "width": _integers(width),
            "depth": _integers(depth),
            "label": _integers(0),
            "image_raw": tf.train.Feature(bytes_list=tf.train.BytesList(value=[picture])),
        }
    )
    write_example_to_tfrecord(example, os.path.join(prefix, "kittymeow.tfrecord"))


def _fetch(url: str | None) -> bytes:
    if url is None:
        raise ValueError("kitty_tfrecord has no picture of its own: pass picture=, the bytes of one, or url=")
    if urllib.parse.urlsplit(url).scheme not in {"https", "http", "file"}:
        message = f"{url}: not an https, http or file URL"
        raise ValueError(message)
    with urllib.request.urlopen(url) as response:  # noqa: S310 - checked above
        fetched: bytes = response.read()
    return fetched


def _write(example: Any, file_path: str | os.PathLike[str], format: Format) -> None:
    with octavo.create(file_path, format=format) as writer:
        writer.write(example.SerializeToString())


def _example(features: dict[str, Any]) -> Any:
    tf = _tensorflow()
    return tf.train.Example(features=tf.train.Features(feature=features))


def _integers(*values: int) -> Any:
    tf = _tensorflow()
    return tf.train.Feature(int64_list=tf.train.Int64List(value=values))


def _reals(*values: float) -> Any:
    tf = _tensorflow()
    return tf.train.Feature(float_list=tf.train.FloatList(value=values))


def _texts(*values: str) -> Any:
    tf = _tensorflow()
    return tf.train.Feature(bytes_list=tf.train.BytesList(value=[value.encode() for value in values]))


def _tensorflow() -> Any:
    try:
        return importlib.import_module("tensorflow")
    except ModuleNotFoundError as error:
        if error.name != "tensorflow":
            raise
        message = "the examples of array_record.beam are TensorFlow's messages: pip install tensorflow"
        raise ImportError(message, name="tensorflow") from error
