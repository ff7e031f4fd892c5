"""Converts TFRecord files in a bucket into ArrayRecord files in another, and reads those; by Google's own client."""

import apache_beam as beam
from apache_beam.io.filesystems import FileSystems
from apache_beam.testing.util import assert_that, equal_to

import octavo
from octavo.compat.array_record.beam import pipelines
from octavo.integrations.beam import ReadFromRecords

RECORDS = [f"record {number}".encode() for number in range(50)]
ARGUMENTS = ["--runner=FnApiRunner", "--project=none"]

for part in range(2):
    bucket = FileSystems.create(f"gs://source/in/part.{part}.tfrecord")
    with bucket as file, octavo.create(file, format="tfrecord") as writer:
        writer.write_many(RECORDS[part::2])

files = ["--input", "gs://source/in/*", "--output", "gs://target/out"]
pipelines.convert_tf_to_arrayrecord_gcs(args=[*files, *ARGUMENTS], overwrite_extension=True).run().wait_until_finish()
with beam.Pipeline(argv=ARGUMENTS) as pipeline:
    assert_that(pipeline | ReadFromRecords("gs://target/out/*", desired_bundle_size=100), equal_to(RECORDS))
print([found.path for found in FileSystems.match(["gs://target/**"])[0].metadata_list])  # noqa: T201 - the result
