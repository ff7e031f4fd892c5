"""A data set of TensorFlow Datasets, written and read through the drop-in: `tfds_data_set.py FOLDER`."""

from __future__ import annotations

import os
import pickle
import sys
from collections.abc import Iterator
from typing import Any

import octavo.compat

octavo.compat.activate("array_record")
os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"
os.environ["NO_GCE_CHECK"] = "true"  # nothing here is in a cloud

import numpy as np  # noqa: E402 - after the redirection
import tensorflow_datasets as tfds  # noqa: E402

from octavo.compat.array_record.python.array_record_data_source import ArrayRecordDataSource  # noqa: E402
from octavo.compat.array_record.python.array_record_module import ArrayRecordWriter  # noqa: E402

EXAMPLES = 200


class Squares(tfds.core.GeneratorBasedBuilder):  # type: ignore[misc]
    """Numbers and their squares."""

    VERSION = tfds.core.Version("1.0.0")
    name = "squares"

    def _info(self) -> Any:
        features = tfds.features.FeaturesDict({"number": np.int64, "square": np.int64, "text": tfds.features.Text()})
        return tfds.core.DatasetInfo(builder=self, description="Squares.", features=features)

    def _split_generators(self, dl_manager: Any) -> dict[str, Any]:
        del dl_manager
        return {"train": self._generate_examples(EXAMPLES), "test": self._generate_examples(10)}

    def _generate_examples(self, count: int) -> Iterator[tuple[int, dict[str, Any]]]:
        for number in range(count):
            yield number, {"number": number, "square": number**2, "text": f"number {number}"}


def numbers_of(source: Any) -> list[int]:
    """The examples of a source, checked one by one."""
    numbers = []
    for key in range(len(source)):
        example = source[key]
        assert example["square"] == example["number"] ** 2
        assert example["text"] == f"number {example['number']}".encode()
        numbers.append(int(example["number"]))
    return numbers


def main(folder: str) -> None:
    """Write the data set, and read it in every way that TensorFlow Datasets has for this format."""
    assert tfds.core.file_adapters.array_record_module.ArrayRecordWriter is ArrayRecordWriter
    builder = Squares(data_dir=folder, file_format="array_record")
    config = tfds.download.DownloadConfig(num_shards=4)
    builder.download_and_prepare(download_config=config)
    files = [name for _, _, names in os.walk(folder) for name in names if "array_record" in name]
    assert len(files) > 2, files

    train = builder.as_data_source(split="train")
    assert isinstance(train.data_source, ArrayRecordDataSource)
    assert sorted(numbers_of(train)) == list(range(EXAMPLES))
    order = numbers_of(train)

    # Parts of the data set are file instructions.
    for split, wanted in (
        ("train[:30]", order[:30]),
        ("train[25%:75%]", order[50:150]),
        ("train[10:20]+train[100:120]", order[10:20] + order[100:120]),
        ("train[190:]+train[:10]", None),
    ):
        part = builder.as_data_source(split=split)
        if wanted is None:
            assert sorted(numbers_of(part)) == sorted(order[190:] + order[:10])
        else:
            assert numbers_of(part) == wanted, split

    batch = train.__getitems__([7, 3, 3])
    assert [int(example["number"]) for example in batch] == [order[7], order[3], order[3]]
    assert numbers_of(pickle.loads(pickle.dumps(train))) == order
    assert len(builder.as_data_source()["test"]) == 10
    assert [int(example["number"]) for example in train] == order


if __name__ == "__main__":
    main(sys.argv[1])
