"""What went wrong once with RecordIO and TFRecord files, and must not again."""

import gzip
import os
import struct
import subprocess
import sys
import threading
import time
import warnings
import zlib
from pathlib import Path

import pytest

import octavo
from octavo import errors
from tests.naive import recordio, tfrecord

RECORDS = [b"record %d" % number for number in range(50)]
COUNT_IN_LITTLE_MEMORY = """
import sys
import octavo

def status_bytes(name):
    with open("/proc/self/status", encoding="ascii") as lines:
        return next(int(line.split()[1]) << 10 for line in lines if line.startswith(name + ":"))

octavo.open(sys.argv[1])[0]  # threads and their stacks are not what is measured
before = status_bytes("VmRSS")
print(len(octavo.open(sys.argv[2])), status_bytes("VmHWM") - before)
"""


def test_a_torn_tfrecord_with_whole_records_behind_it_is_damage_that_nobody_cuts_off(tmp_path):
    path = tmp_path / "x.tfrecord"
    torn = tfrecord.encode([b"x" * 5000])[:300]
    path.write_bytes(tfrecord.encode([b"first"]) + torn + tfrecord.encode(RECORDS))
    before = path.read_bytes()
    assert octavo.trim(path) == 0
    with pytest.raises(errors.FormatError):
        octavo.append(path)
    assert path.read_bytes() == before
    octavo.recover(path, tmp_path / "whole.tfrecord")
    assert octavo.open(tmp_path / "whole.tfrecord").read_all() == [b"first", *RECORDS]


@pytest.mark.parametrize("size", [376, 35615], ids=["as zlib begins", "as gzip begins"])
def test_a_damaged_first_length_that_looks_compressed_hides_no_records(tmp_path, size):
    content = bytearray(tfrecord.encode([b"q" * size, *RECORDS]))
    content[9] ^= 1
    (tmp_path / "x.tfrecord").write_bytes(content)
    octavo.recover(tmp_path / "x.tfrecord", tmp_path / "whole.tfrecord")
    assert octavo.open(tmp_path / "whole.tfrecord").read_all() == RECORDS


def test_records_that_stand_verbatim_in_a_stream_do_not_make_it_a_plain_file(tmp_path):
    content = bytearray(tfrecord.encode(RECORDS))
    content[9] ^= 1
    (tmp_path / "x.tfrecord").write_bytes(gzip.compress(bytes(content), 0))
    octavo.recover(tmp_path / "x.tfrecord", tmp_path / "whole.tfrecord")
    assert octavo.open(tmp_path / "whole.tfrecord").info.codec == "gzip"
    assert octavo.open(tmp_path / "whole.tfrecord").read_all() == RECORDS[1:]


@pytest.mark.skipif(not hasattr(os, "fork"), reason="the system has no fork")
@pytest.mark.filterwarnings("ignore:This process:DeprecationWarning")
def test_a_child_that_lives_on_keeps_no_lock_of_a_file_that_was_closed(tmp_path):
    writer = octavo.create(tmp_path / "x.recordio")
    writer.write(b"one")
    child = os.fork()
    if child == 0:
        time.sleep(30)
        os._exit(0)
    try:
        writer.close()
        with octavo.append(tmp_path / "x.recordio") as again:
            again.write(b"two")
        assert octavo.open(tmp_path / "x.recordio").read_all() == [b"one", b"two"]
    finally:
        os.kill(child, 9)
        os.waitpid(child, 0)


def test_an_index_that_cannot_be_written_costs_a_warning_and_not_the_file(tmp_path):
    (tmp_path / "x.recordio.octx").mkdir()
    writer = octavo.create(tmp_path / "x.recordio", sidecar=True)
    writer.write_many(RECORDS)
    with pytest.warns(errors.SidecarWarning, match="the file is whole"):
        writer.close()
    assert octavo.open(tmp_path / "x.recordio").read_all() == RECORDS


def test_an_empty_file_whose_name_says_gzip_does_not_grow_uncompressed(tmp_path):
    path = tmp_path / "x.tfrecord.gz"
    path.write_bytes(b"")
    with pytest.raises(errors.UnsupportedError, match="gzip"):
        octavo.append(path)


def test_what_is_recovered_under_a_name_that_says_gzip_is_gzip(tmp_path):
    (tmp_path / "x.tfrecord").write_bytes(tfrecord.encode(RECORDS))
    octavo.recover(tmp_path / "x.tfrecord", tmp_path / "y.tfrecord.gz")
    assert octavo.open(tmp_path / "y.tfrecord.gz").info.codec == "gzip"
    assert octavo.open(tmp_path / "y.tfrecord.gz").read_all() == RECORDS


def test_trimming_in_threads_leaves_the_filters_of_warnings_alone(tmp_path):
    def trim(number):
        path = tmp_path / f"{number}.tfrecord"
        for _ in range(50):
            path.write_bytes(tfrecord.encode([b"a"]) + b"\1\2")
            assert octavo.trim(path) == 2

    before = list(warnings.filters)
    threads = [threading.Thread(target=trim, args=(number,)) for number in range(4)]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join()
    assert list(warnings.filters) == before


@pytest.mark.parametrize("work", [octavo.append, octavo.trim])
def test_what_is_written_to_is_one_file_and_no_pattern(tmp_path, work):
    (tmp_path / "x.recordio").write_bytes(recordio.encode(RECORDS))
    with pytest.raises(errors.NotFoundError):
        work(tmp_path / "*.recordio")
    with pytest.raises(errors.StorageError):
        work(tmp_path)


def test_a_sound_file_under_another_formats_name_is_not_called_damaged():
    with pytest.raises(errors.UnknownFormatError, match=r"it looks like RecordIO$"):
        octavo.open(recordio.encode(RECORDS), format="tfrecord")


# In a process of its own: in this one memory that others have left would be used again.
@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the system does not say what a process has used")
def test_millions_of_records_in_a_small_compressed_file_take_little_memory(tmp_path):
    frame = tfrecord.encode([b""])
    stream = zlib.compressobj(9)
    pieces = [stream.compress(frame * 65536) for _ in range(64)]
    (tmp_path / "x.tfrecord").write_bytes(b"".join([*pieces, stream.flush()]))
    (tmp_path / "few.tfrecord").write_bytes(zlib.compress(tfrecord.encode(RECORDS)))
    told = subprocess.run(
        [sys.executable, "-c", COUNT_IN_LITTLE_MEMORY, tmp_path / "few.tfrecord", tmp_path / "x.tfrecord"],
        capture_output=True,
        check=True,
        timeout=120,
    )
    count, used_bytes = map(int, told.stdout.split())
    assert count == 64 * 65536
    assert used_bytes < 16 << 20  # a table of all takes 32 MB


def test_records_before_damaged_compressed_bytes_are_read():
    head = "1f8b0800000000000203636680800d333df9129392f3c23f2a42df3418"
    damaged = "b067459978d5b488194949af0a2241f2f44b6f001ea279f16e000000"
    reader = octavo.open(bytes.fromhex(head + damaged), format="tfrecord")
    assert (len(reader), reader[0]) == (2, b"abc")


def test_a_size_that_is_damaged_is_no_torn_tail(tmp_path):
    path = tmp_path / "x.recordio"
    with octavo.create(path, codec="gzip") as writer:
        writer.write(b"first")
        writer.flush()
        writer.write(b"last")
    content = bytearray(path.read_bytes())
    at = content.rindex(bytes.fromhex("04030201")) + 16
    (size,) = struct.unpack_from("<I", content, at)
    struct.pack_into("<I", content, at, size - 2)  # what is cut off then is zeros: the end of gzip's size
    path.write_bytes(content)
    assert octavo.trim(path) == 0
    with pytest.raises(errors.FormatError):
        octavo.append(path)
    assert Path(path).read_bytes() == content
