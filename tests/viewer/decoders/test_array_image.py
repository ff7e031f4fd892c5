"""Arrays that are images: a PNG with their pixels."""

from __future__ import annotations

import io

import numpy as np
import pytest

from octavo.viewer.blocks import Image
from tests.viewer.decoders import contents

RANDOM = np.random.default_rng(7)


def pixels_of(image):
    pillow = pytest.importorskip("PIL.Image", reason="needs Pillow")
    return np.asarray(pillow.open(io.BytesIO(image.content)))


@pytest.mark.parametrize(
    ("shape", "as_shown"),
    [
        ((20, 30), lambda array: array),
        ((20, 30, 1), lambda array: array[:, :, 0]),
        ((20, 30, 3), lambda array: array),
        ((20, 30, 4), lambda array: array),
        ((3, 20, 30), lambda array: array.transpose(1, 2, 0)),
        ((1, 20, 30), lambda array: array[0]),
        ((5, 20, 30), lambda array: array[0]),
        ((2, 20, 30, 3), lambda array: array[0]),
        ((2, 3, 20, 30), lambda array: array[0].transpose(1, 2, 0)),
        ((8, 1500), lambda array: array[::3, ::3]),
        ((1025, 700, 3), lambda array: array[::3, ::3]),
        ((3, 9, 600), lambda array: array[:, ::2, ::2].transpose(1, 2, 0)),
    ],
)
def test_the_pixels_are_the_values(decoders, shape, as_shown):
    array = RANDOM.integers(0, 256, shape, dtype="u1")
    image = next(block for block in decoders.decode(contents.npy(array)).blocks if isinstance(block, Image))
    expected = as_shown(array)
    assert (image.height, image.width) == expected.shape[:2]
    assert np.array_equal(pixels_of(image), expected)


@pytest.mark.parametrize(
    "array",
    [
        np.zeros((20, 30), "f4"),
        np.zeros((20, 30), "i1"),
        np.zeros((20, 3), "u1"),
        np.zeros(400, "u1"),
        np.zeros((0, 20, 30), "u1"),
        np.zeros((20_000, 8), "u1"),
        np.asfortranarray(np.zeros((20, 30), "u1")),
    ],
)
def test_other_arrays_are_no_images(decoders, array):
    assert not [block for block in decoders.decode(contents.npy(array)).blocks if isinstance(block, Image)]


def test_missing_pixels_make_it_no_image(decoders):
    record = contents.npy(np.zeros((20, 30), "u1"))[:-1]
    assert not [block for block in decoders.decode(record).blocks if isinstance(block, Image)]


def test_a_card_shows_a_small_one(decoders):
    array = RANDOM.integers(0, 256, (256, 200, 3), dtype="u1")
    for record in (contents.npy(array), contents.npz(label=np.arange(3), image=array)):
        image = decoders.summarise(record)[1].image
        assert (image.width, image.height) == (100, 128)
        assert np.array_equal(pixels_of(image), array[::2, ::2])


def test_tensors_and_members_of_archives_are_shown(decoders):
    array = RANDOM.integers(0, 256, (20, 30), dtype="u1")
    tensor = contents.safetensors({"x": {"dtype": "U8", "shape": [20, 30], "data_offsets": [0, 600]}}, array.tobytes())
    for record in (contents.npz(x=array), tensor):
        section = decoders.decode(record).blocks[-1]
        image = next(block for block in section.blocks if isinstance(block, Image))
        assert np.array_equal(pixels_of(image), array)
