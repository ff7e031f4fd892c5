"""The samples are what they say, by octavo's readers and by what else reads such files."""

from __future__ import annotations

import io
import json
import math
import wave

import numpy as np
import pytest

import octavo
from tests.viewer.samples import billion, damage, hostile, mixed, pictures, sounds, structures


@pytest.fixture(scope="module")
def a_billion() -> billion.Billion:
    return billion.Billion()


def test_a_billion_records_open_in_a_few_reads(a_billion):
    a_billion.calls.clear()
    reader = a_billion.open()
    assert len(reader) == 1_000_000_000
    assert len(a_billion.calls) <= 6
    assert sum(length for call in a_billion.calls for _, length in call) < 4 << 20


@pytest.mark.parametrize("number", [0, 9_999, 10_000, 123_456_789, 999_999_999])
def test_any_record_of_a_billion_says_its_number(a_billion, number):
    reader = a_billion.open()
    a_billion.calls.clear()
    assert reader[number] == billion.record_of(number)
    assert json.loads(reader[number])["record"] == number
    assert len(a_billion.calls) == 1


def test_a_batch_across_chunks_of_a_billion_is_one_read(a_billion):
    reader = a_billion.open()
    a_billion.calls.clear()
    assert reader.read(range(19_990, 20_010)) == [billion.record_of(number) for number in range(19_990, 20_010)]
    assert len(a_billion.calls) == 1


def test_a_small_billion_verifies():
    source = billion.Billion(record_count=200, group_size=20)
    assert list(source.open()) == [billion.record_of(number) for number in range(200)]
    assert octavo.verify([source], format="array_record").ok


def test_pictures_are_read_by_pillow_and_have_their_size():
    images = pytest.importorskip("PIL.Image", reason="Pillow is another reader of pictures")
    for content, size in [
        (pictures.png(pictures.landscape(3)), (160, 120)),
        (pictures.png(pictures.plot(3, 40, 30)), (40, 30)),
        (pictures.gif(48, 32), (48, 32)),
        (pictures.JPEG, (24, 16)),
        (pictures.WEBP, (24, 16)),
    ]:
        with images.open(io.BytesIO(content)) as image:
            assert image.size == size
            assert len(set(np.asarray(image.convert("RGB")).reshape(-1, 3).sum(axis=1).tolist())) >= 4


def test_a_wav_file_is_a_second_long():
    with wave.open(io.BytesIO(sounds.wav(sounds.tone(1.0)))) as file:
        assert math.isclose(file.getnframes() / file.getframerate(), 1.0)


def test_arrays_are_read_by_numpy():
    assert np.load(io.BytesIO(structures.npy([2, 3]))).tolist() == [[0, 1, 2], [3, 4, 5]]
    with np.load(io.BytesIO(structures.npz({"a": structures.npy([3]), "b": structures.npy([1, 1])}))) as arrays:
        assert {name: arrays[name].shape for name in arrays} == {"a": (3,), "b": (1, 1)}


def test_tensors_are_read_by_safetensors():
    library = pytest.importorskip("safetensors.numpy", reason="safetensors is another reader of tensors")
    tensors = library.load(structures.safetensors({"a": [2, 2], "b": [1]}, {"format": "pt"}))
    assert tensors["a"].tolist() == [[0, 0.125], [0.25, 0.375]]


def test_messages_are_read_by_msgpack():
    library = pytest.importorskip("msgpack", reason="msgpack is another reader of messages")
    value = {"a": [1, -5, 2**40, 1.5], "b": b"\0", "c": {"d": "é"}}
    assert library.unpackb(structures.msgpack(value)) == value


def test_every_kind_is_in_the_mixed_data_set():
    assert {sample.kind for sample in mixed.samples()} == set(mixed.MAKERS)
    assert len(mixed.records()) == mixed.COUNT
    assert [number for number, record in enumerate(mixed.records()) if b"tramontane" in record] == [
        *mixed.WITH_RARE_WORD
    ]


def test_the_mixed_data_set_reads_the_same_in_every_format(tmp_path):
    for location in (
        mixed.write_ffrecord(tmp_path / "shards"),
        mixed.write_array_record(tmp_path / "mixed.array_record"),
        mixed.write_recordio(tmp_path / "mixed.recordio"),
    ):
        with octavo.open(location) as reader:
            assert tuple(reader) == mixed.records()


def test_a_flipped_record_is_the_only_damage(tmp_path):
    shard = min(mixed.write_ffrecord(tmp_path / "shards").iterdir())
    report = octavo.verify(damage.flipped_record(shard, tmp_path / "damaged.ffr", 7))
    assert [list(found.records) for found in report.damage] == [[7]]


def test_hostile_records_are_records(tmp_path):
    with octavo.create(tmp_path / "hostile.ffr") as writer:
        writer.write_many(hostile.records().values())
    with octavo.open(tmp_path / "hostile.ffr") as reader:
        assert list(reader) == [*hostile.records().values()]
