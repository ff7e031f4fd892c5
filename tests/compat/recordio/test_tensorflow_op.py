"""`RecordIODataset` in TensorFlow 2, and as code for TensorFlow 1 uses it."""

from __future__ import annotations

import pytest

from octavo.compat.recordio import Compressor, File
from tests.naive import recordio as naive

pytestmark = pytest.mark.filterwarnings("ignore::DeprecationWarning")  # of TensorFlow itself

GROUPS = [[b"abc\0", b"", b"\xff\xfe"], [b"second\0\0"], [b"third"]]


@pytest.fixture(scope="module")
def tf():
    return pytest.importorskip("tensorflow")


@pytest.fixture
def dataset(tf):
    del tf
    from octavo.compat.recordio.tensorflow_op import RecordIODataset

    return RecordIODataset


@pytest.fixture
def path(tmp_path):
    (tmp_path / "x.recordio").write_bytes(naive.encode_groups(GROUPS, codec="snappy"))
    return str(tmp_path / "x.recordio")


@pytest.fixture
def offsets(path):
    return [entry.offset for entry in File(path, "r").get_index()]


def test_it_is_a_data_set_of_the_strings_of_one_chunk(tf, dataset, path, offsets):
    records = dataset(path)
    assert isinstance(records, tf.data.Dataset)
    assert isinstance(records, dataset)
    assert records.element_spec == tf.TensorSpec([], tf.string)
    assert list(records.as_numpy_iterator()) == list(records.as_numpy_iterator()) == GROUPS[0]
    for offset, group in zip(offsets, GROUPS, strict=True):
        assert list(dataset(filename=path, offset=offset).as_numpy_iterator()) == group


def test_tensors_may_say_which_chunk(tf, dataset, path, offsets):
    chunks = tf.data.Dataset.from_tensor_slices(offsets)
    records = chunks.flat_map(lambda offset: dataset(tf.constant(path), offset)).batch(2)
    found = [record for batch in records.as_numpy_iterator() for record in batch]
    assert found == [record for group in GROUPS for record in group]


def test_it_is_used_as_any_other(tf, dataset, path):
    lengths = dataset(path).map(tf.strings.length).repeat(2).prefetch(1)
    assert [int(length) for length in lengths] == [4, 0, 2] * 2

    @tf.function
    def total():
        found = tf.constant(0)
        for record in dataset(path):
            found += tf.strings.length(record)
        return found

    assert int(total()) == 6


def test_code_for_tensorflow_1_reads_it(tf, dataset, path):
    with tf.Graph().as_default(), tf.compat.v1.Session() as session:
        records = dataset(path)
        assert isinstance(records, tf.compat.v1.data.Dataset)
        assert (records.output_types, records.output_shapes) == (tf.string, tf.TensorShape([]))
        record = records.make_one_shot_iterator().get_next()
        assert [session.run(record) for _ in GROUPS[0]] == GROUPS[0]
        batches = records.batch(2).make_initializable_iterator()
        session.run(batches.initializer)
        assert list(session.run(batches.get_next())) == GROUPS[0][:2]


@pytest.mark.parametrize("compressor", Compressor)
def test_every_compressor_is_read(dataset, tmp_path, compressor):
    with File(tmp_path / "y.recordio", "w", compressor=compressor) as file:
        file.write(b"abc")
    assert list(dataset(tmp_path / "y.recordio").as_numpy_iterator()) == [b"abc"]


@pytest.mark.parametrize("dialect", naive.DIALECTS)
def test_every_dialect_is_read(dataset, tmp_path, dialect):
    (tmp_path / "y.recordio").write_bytes(naive.encode([b"abc", b""], dialect, "snappy"))
    assert list(dataset(str(tmp_path / "y.recordio")).as_numpy_iterator()) == [b"abc", b""]


def test_what_cannot_be_read_is_an_error_when_it_is_read(tf, dataset, path):
    for wrong, expected in ((dataset(path, 3), "Wrong magic number"), (dataset(path + "-none"), "No such file")):
        with pytest.raises(tf.errors.OpError, match=expected):
            list(wrong)
