"""The sample data, the pipelines and the demo that write it. Needs TensorFlow, for its messages."""

from __future__ import annotations

import itertools
import subprocess
import sys
from typing import Any

import pytest

import octavo
from octavo.compat.array_record.beam import example, testdata
from tests.compat.array_record.beam.conftest import files_in, runner

KEYS = ["Age", "Movie", "Movie Ratings", "Suggestion", "Suggestion Purchased", "Purchase Price"]


@pytest.fixture
def tf() -> Any:
    return pytest.importorskip("tensorflow")


def test_the_sample_data_has_the_keys_of_the_original():
    assert [list(visitor) for visitor in testdata.data] == [KEYS] * 4
    assert all(len(visitor["Movie"]) == len(visitor["Movie Ratings"]) for visitor in testdata.data)


def test_examples_carry_the_sample_data(tf):
    examples = example.generate_movie_examples()
    assert [type(one) for one in examples] == [tf.train.Example] * 4
    for one, visitor in zip(examples, testdata.data, strict=True):
        feature = one.features.feature
        assert sorted(feature) == sorted(KEYS)
        assert list(feature["Age"].int64_list.value) == [visitor["Age"]]
        assert [movie.decode() for movie in feature["Movie"].bytes_list.value] == visitor["Movie"]
        assert list(feature["Movie Ratings"].float_list.value) == visitor["Movie Ratings"]
        assert list(feature["Purchase Price"].float_list.value) == [visitor["Purchase Price"]]
    assert [tf.train.Example.FromString(one) for one in example.generate_serialized_movie_examples()] == examples


def test_an_example_becomes_a_file_of_either_format(tf, tmp_path, read_twice):
    one = example.generate_movie_examples()[0]
    example.write_example_to_tfrecord(one, str(tmp_path / "tf"))
    example.write_example_to_arrayrecord(one, str(tmp_path / "array"))
    assert [record.numpy() for record in tf.data.TFRecordDataset(str(tmp_path / "tf"))] == [one.SerializeToString()]
    assert read_twice(tmp_path / "array") == [one.SerializeToString()]


def test_a_picture_becomes_a_tfrecord_file(tf, tmp_path):
    picture = tf.io.encode_jpeg(tf.zeros((5, 7, 3), tf.uint8)).numpy()
    (tmp_path / "cat.jpg").write_bytes(picture)
    for given in ({"picture": picture}, {"url": (tmp_path / "cat.jpg").as_uri()}):
        example.kitty_tfrecord(str(tmp_path), **given)
        with octavo.open(tmp_path / "kittymeow.tfrecord") as reader:
            feature = tf.train.Example.FromString(reader[0]).features.feature
        (tmp_path / "kittymeow.tfrecord").unlink()
        dimensions = [feature[name].int64_list.value[0] for name in ("height", "width", "depth", "label")]
        assert dimensions == [5, 7, 3, 0]
        assert feature["image_raw"].bytes_list.value[0] == picture


@pytest.mark.parametrize(
    ("url", "told"), [(None, "pass picture="), ("ftp://host/cat.jpg", "not an https, http or file")]
)
def test_without_a_picture_kitty_says_how_to_give_one(url, told):
    with pytest.raises(ValueError, match=told):
        example.kitty_tfrecord(url=url)


def test_pipelines_write_the_sample_data(tf, tfrecords, tmp_path, options, read_twice):
    del tf, tfrecords
    from octavo.compat.array_record.beam import pipelines

    args = {"output": str(tmp_path / "to" / "movies")}
    pipelines.example_to_tfrecord(2, args, options()).run().wait_until_finish()
    pipelines.example_to_arrayrecord(args=args, pipeline_options=options()).run().wait_until_finish()
    assert files_in(tmp_path / "to") == [
        "movies-00000-of-00001.arrayrecord",
        "movies-00000-of-00002.tfrecord",
        "movies-00001-of-00002.tfrecord",
    ]
    expected = sorted(example.generate_serialized_movie_examples())
    assert sorted(read_twice(tmp_path / "to" / "movies-00000-of-00001.arrayrecord")) == expected
    with octavo.open(tmp_path / "to" / "*.tfrecord") as reader:
        assert sorted(reader) == expected


AS_THE_ORIGINAL = """
import octavo.compat, runpy
octavo.compat.activate("array_record")
runpy.run_module("array_record.beam.demo", run_name="__main__", alter_sys=True)
"""


@pytest.mark.slow
@pytest.mark.parametrize(
    "program", [("-m", "octavo.compat.array_record.beam.demo"), ("-c", AS_THE_ORIGINAL)], ids=["octavo", "activated"]
)
def test_the_demo_runs_as_a_script(program, tf, tfrecords, tmp_path, read_twice):
    del tf, tfrecords
    arguments = [f"--input={tmp_path / 'in' / 'movies'}", f"--output={tmp_path / 'out'}", f"--runner={runner()}"]
    done = subprocess.run(
        [sys.executable, *program, *arguments], capture_output=True, text=True, check=False, timeout=300
    )
    assert done.returncode == 0, done.stderr
    assert files_in(tmp_path / "in") == [f"movies-0000{shard}-of-00004.tfrecord" for shard in range(4)]
    assert files_in(tmp_path / "out") == [f"movies-0000{shard}-of-00004.arrayrecord" for shard in range(4)]
    records = itertools.chain(*(read_twice(path) for path in (tmp_path / "out").iterdir()))
    assert sorted(records) == sorted(example.generate_serialized_movie_examples())


def test_main_returns_the_pipeline_and_its_last_step(tf, monkeypatch):
    del tf
    beam = pytest.importorskip("apache_beam")
    from octavo.compat.array_record.beam import demo

    monkeypatch.setattr(sys, "argv", ["demo", "--input=a", "--output=b", f"--runner={runner()}"])
    pipeline, converted = demo.main()
    assert isinstance(pipeline, beam.Pipeline)
    assert isinstance(converted, beam.PCollection)
    assert demo.args == {"input": "a", "output": "b"}
    assert demo.pipeline_options.get_all_options()["runner"] == runner()
