"""ArrayRecord's options: texts as the original reads them, keywords, and what files say."""

from __future__ import annotations

from dataclasses import asdict
from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from octavo._options import ArrayRecordReaderOptions, ArrayRecordWriterOptions, parse_bytes
from octavo.errors import OptionError

DEFAULT_TEXT = "group_size:1,transpose:false,pad_to_block_boundary:false,zstd:3,window_log:20,max_parallelism:1"
INT32 = 2**31 - 1
UINT64 = 2**64 - 1

WRITER_KEYS = (
    "default, group_size, max_parallelism, saturation_delay_ms, transpose, transpose_bucket_size, uncompressed, "
    "brotli, zstd, snappy, window_log, pad_to_block_boundary"
)
READER_KEYS = "max_parallelism, readahead_buffer_size, index_storage_option, footer_prefetch_bytes"
COUNTS = "integers in the range [1..2147483647]"
SWITCHES = "(empty), true, false"
SIZES = "integers expressed as reals with optional suffix [BkKMGTPE], in the range"
CASUAL = "numbers and texts such as '64MB' or '1.5G'"
CODECS = "none, brotli, zstd, snappy, and levels as in 'zstd:7'"


def invalid(key: str, value: str, allowed: str) -> str:
    return f"Option {key}: invalid value: {value}, valid values: {allowed}"


def parse_strictly(text: str) -> ArrayRecordWriterOptions:
    return ArrayRecordWriterOptions.parse(text, strict=True)


# --- sizes ---------------------------------------------------------------------------------------------------------

# What the original reads as a number of bytes.
ORIGINAL_SIZES = {
    "1": 1, "007": 7, "16M": 2**24, "1B": 1, "1k": 2**10, "1K": 2**10, "1M": 2**20, "1G": 2**30, "1T": 2**40,
    "1P": 2**50, "1E": 2**60, "1.5K": 1536, "1.5 K": 1536, ".5k": 512, "1.": 1, "1.K": 1024, "+1": 1,
    "0.5": 1, "1.5": 2, "2.5": 3, "2.5B": 3, "3.4999": 3, "1e3": 1000, "1E3": 1000, "1e+3": 1000, "25e-1": 3,
    "1e3K": 1_024_000, "1e1E": 10 * 2**60, " 1": 1, "1 ": 1, " 1 K": 1024, "\t1\n": 1, "\v1\f\r": 1,
    "0x10": 16, "0X1f": 31, "0x1b": 27, "0x1B": 1, "0x1E": 2**60, "0x1p4": 16, "0x1.8": 2, "0x.8": 1, "0x1.": 1,
    "0x1.8p1K": 3072, "+0x10": 16, "0x1P": 2**50, "inf": UINT64, "+INF": UINT64, "Infinity": UINT64,
    "infK": UINT64, "inf K": UINT64, "infinityB": UINT64, "16E": UINT64, "1e19": 10**19, "1e20": UINT64,
    "1e400": UINT64, "1e308E": UINT64, "1e99999999999999999999": UINT64, "0x1p99999999999999999999": UINT64,
    "18446744073709551615": UINT64, "18446744073709549567": 2**64 - 2048, "9007199254740993": 2**53,
    "4503599627370497.5": 2**52 + 2, "1" * 400: UINT64, "0" * 5000 + "1": 1,
}  # fmt: skip

# What it does not read, and nobody else should.
NO_SIZES = [
    "", " ", ".", "K", "B", "MB", "-1", "-1K", "-0.5", "-inf", "-0x1p2000", "nan", "NaN", "nan(1)", "+-1", "++1",
    "+ 1", "1e", "1e+", "1e 3", "1e2.5", "1.2.3", "1,5", "1_000", "0x", "0xg", "1Z", "1KK", "1BB", "1MBB",
    "1kMB", "1i", "1ib", "1Bi", "1 i b", "12 apples", "1f", "1d5", "0b1", "1'0", "\u0661", "in", "infi", "x",
]  # fmt: skip

# What people write and the original does not read.
CASUAL_SIZES = {
    "64MB": 64 * 2**20, "16MiB": 16 * 2**20, "4kb": 4096, "1m": 2**20, "1 g": 2**30, "1b": 1, "1KB": 1024,
    "1KiB": 1024, "1kib": 1024, "1Ki": 1024, "1t": 2**40, "2 TB": 2**41, "1p": 2**50, "1PiB": 2**50, "1eb": 2**60,
    "1EiB": 2**60, "1.5 GiB": 3 * 2**29, ".5mb": 2**19, "1e3kb": 1_024_000, "0x10kb": 16384, "0x1p": 2**50, "1K ": 1024,
    " 64 MB ": 64 * 2**20, "infMB": UINT64, "32EB": UINT64, "+1mb": 2**20,
}  # fmt: skip


@pytest.mark.parametrize(("text", "size"), ORIGINAL_SIZES.items())
@pytest.mark.parametrize("strict", [True, False])
def test_a_size_of_the_original_is_what_it_is_there(text, size, strict):
    parsed = ArrayRecordWriterOptions.parse(f"transpose_bucket_size:{text}", strict=strict)
    assert parsed.transpose_bucket_size == size
    assert parse_bytes(text, name="cache_bytes") == size


@pytest.mark.parametrize(("text", "size"), CASUAL_SIZES.items())
def test_a_size_as_people_write_it_is_a_power_of_1024(text, size):
    assert parse_bytes(text, name="cache_bytes") == size
    assert ArrayRecordWriterOptions.parse(f"transpose_bucket_size:{text}").transpose_bucket_size == size


@pytest.mark.parametrize("text", [*CASUAL_SIZES, *NO_SIZES])
def test_a_size_that_the_original_does_not_read_is_an_error_where_strict(text):
    with pytest.raises(OptionError):
        parse_strictly(f"transpose_bucket_size:{text}")


@pytest.mark.parametrize("text", NO_SIZES)
def test_what_is_no_size_is_an_error(text):
    with pytest.raises(OptionError):
        parse_bytes(text, name="cache_bytes")


@pytest.mark.parametrize("size", [0, 1, 4096, UINT64, 2**53 + 1, np.int64(7), np.uint8(7)])
def test_a_number_of_bytes_is_taken_as_it_is(size):
    assert parse_bytes(size, name="cache_bytes") == int(size)


@pytest.mark.parametrize("text", ["-0", "-0.0", "-1e-400", "0.49", "0.49999999999999994", "0x0p9999999999999999999"])
def test_zero_may_have_a_sign_and_a_fraction(text):
    assert parse_bytes(text, name="cache_bytes") == 0


@pytest.mark.parametrize(
    "value", ["12 apples", "2G", "inf", -1, 2**30 + 1, True, 1.5, None, b"1K", np.bool_(1), np.zeros(3, int)]
)
def test_a_size_error_names_option_value_and_what_is_allowed(value):
    with pytest.raises(OptionError) as caught:
        parse_bytes(value, name="cache_bytes", at_most=2**30)
    assert str(caught.value) == f"cache_bytes is {value!r}; allowed are {CASUAL}, in the range [0..1073741824]"


def test_both_ends_of_a_range_of_sizes_are_in_it():
    assert [parse_bytes(size, name="n", at_least=4, at_most=2**10) for size in (4, "4", 2**10, "1k")] == [
        4,
        4,
        1024,
        1024,
    ]
    for size in (3, "3", 1025, "1.01k"):
        with pytest.raises(OptionError):
            parse_bytes(size, name="n", at_least=4, at_most=2**10)


def test_a_hexadecimal_number_out_of_range_is_not_tried_again_with_a_unit():
    with pytest.raises(OptionError):  # 27, and not one byte
        parse_bytes("0x1b", name="n", at_most=10)


# --- texts of the writer -------------------------------------------------------------------------------------------

# What differs from the defaults after parsing.
WRITER_TEXTS: dict[str, dict[str, Any]] = {
    "": {},
    ",,,": {},
    "default": {},
    "default:": {},
    "default:anything:at all": {},
    ",default": {},
    "default,brotli": {"codec": "brotli", "level": 6, "window_log": None},
    "group_size:1": {},
    "group_size:256": {"group_size": 256},
    "group_size:256,": {"group_size": 256},
    ",,group_size:256": {"group_size": 256},
    "group_size:2147483647": {"group_size": INT32},
    "group_size: \t+007\r\n": {"group_size": 7},
    "group_size:" + "0" * 5000 + "8": {"group_size": 8},
    "max_parallelism:auto": {},
    "max_parallelism:1": {"max_parallelism": 1},
    "max_parallelism:2147483647": {"max_parallelism": INT32},
    "saturation_delay_ms:1": {"saturation_delay_ms": 1},
    "saturation_delay_ms:2147483647": {"saturation_delay_ms": INT32},
    "transpose": {"transpose": True},
    "transpose:": {"transpose": True},
    "transpose:true": {"transpose": True},
    "transpose:false": {},
    "transpose_bucket_size:auto": {},
    "transpose_bucket_size:1": {"transpose_bucket_size": 1},
    "transpose_bucket_size:64K": {"transpose_bucket_size": 65536},
    "transpose,transpose_bucket_size:1.5K": {"transpose": True, "transpose_bucket_size": 1536},
    "transpose,transpose_bucket_size:inf": {"transpose": True, "transpose_bucket_size": UINT64},
    "transpose,uncompressed,transpose_bucket_size:5": {
        "transpose": True, "transpose_bucket_size": 5, "codec": "none", "level": None, "window_log": None,
    },
    "uncompressed": {"codec": "none", "level": None, "window_log": None},
    "uncompressed:": {"codec": "none", "level": None, "window_log": None},
    "brotli": {"codec": "brotli", "level": 6, "window_log": None},
    "brotli:0": {"codec": "brotli", "level": 0, "window_log": None},
    "brotli:11": {"codec": "brotli", "level": 11, "window_log": None},
    "zstd": {},
    "zstd:": {},
    "zstd:22": {"level": 22},
    "zstd:-131072": {"level": -131072},
    "zstd:-0": {"level": 0},
    "snappy": {"codec": "snappy", "level": 1, "window_log": None},
    "snappy:1": {"codec": "snappy", "level": 1, "window_log": None},
    "snappy:2": {"codec": "snappy", "level": 2, "window_log": None},
    "window_log:auto": {},
    "window_log:10": {"window_log": 10},
    "window_log:31": {"window_log": 31},
    "zstd:5,window_log:31": {"level": 5, "window_log": 31},
    "window_log:11,zstd:5": {"level": 5, "window_log": 11},
    "brotli,window_log:10": {"codec": "brotli", "level": 6, "window_log": 10},
    "brotli,window_log:22": {"codec": "brotli", "level": 6, "window_log": 22},
    "window_log:30,brotli": {"codec": "brotli", "level": 6, "window_log": 30},
    "brotli,window_log:auto": {"codec": "brotli", "level": 6, "window_log": None},
    "pad_to_block_boundary": {},
    "pad_to_block_boundary:": {},
    "pad_to_block_boundary:false": {},
    "pad_to_block_boundary:true": {"pad_to_block_boundary": True},
}  # fmt: skip

WRITER_ERRORS = {
    "foo": f"Unknown option foo, valid options: {WRITER_KEYS}",
    "foo:1": f"Unknown option foo, valid options: {WRITER_KEYS}",
    " group_size:1": f"Unknown option  group_size, valid options: {WRITER_KEYS}",
    "group_size :1": f"Unknown option group_size , valid options: {WRITER_KEYS}",
    "Group_size:1": f"Unknown option Group_size, valid options: {WRITER_KEYS}",
    ":": f"Unknown option , valid options: {WRITER_KEYS}",
    ":5": f"Unknown option , valid options: {WRITER_KEYS}",
    "brotli_encoder:auto": f"Unknown option brotli_encoder, valid options: {WRITER_KEYS}",
    "readahead_buffer_size:0": f"Unknown option readahead_buffer_size, valid options: {WRITER_KEYS}",
    "\u043a\u043b\u044e\u0447": f"Unknown option \u043a\u043b\u044e\u0447, valid options: {WRITER_KEYS}",
    "group_size:1,group_size:1": "Option group_size is present more than once",
    "group_size:1,group_size:x": "Option group_size is present more than once",
    "default,default": "Option default is present more than once",
    "zstd,zstd": "Option zstd is present more than once",
    "window_log:9,window_log:9": "Option window_log is present more than once",
    "group_size:2,default": "Option default must be first",
    "brotli,default": "Option default must be first",
    "group_size": invalid("group_size", "(empty)", COUNTS),
    "group_size:": invalid("group_size", "(empty)", COUNTS),
    **{
        f"group_size:{value}": invalid("group_size", value, COUNTS)
        for value in (
            "0", "-1", "2147483648", "4294967297", "9" * 300, "x", "1.0", "0x1", "1e3", "1K", "1_0", "++1", "- 1",
            "+ 1", "1 1", "a:b", ":", "auto", " ", "\u0663", "\xa05", "5\x1c",
        )
    },
    "max_parallelism": invalid("max_parallelism", "(empty)", f"auto, {COUNTS}"),
    "max_parallelism:0": invalid("max_parallelism", "0", f"auto, {COUNTS}"),
    "max_parallelism:Auto": invalid("max_parallelism", "Auto", f"auto, {COUNTS}"),
    "max_parallelism:auto ": invalid("max_parallelism", "auto ", f"auto, {COUNTS}"),
    "saturation_delay_ms": invalid("saturation_delay_ms", "(empty)", COUNTS),
    "saturation_delay_ms:0": invalid("saturation_delay_ms", "0", COUNTS),
    "transpose:True": invalid("transpose", "True", SWITCHES),
    "transpose:1": invalid("transpose", "1", SWITCHES),
    "transpose_bucket_size": invalid("transpose_bucket_size", "(empty)", f"auto, {SIZES} [1..{UINT64}]"),
    "transpose_bucket_size:0": invalid("transpose_bucket_size", "0", f"auto, {SIZES} [1..{UINT64}]"),
    "transpose_bucket_size:0.49": invalid("transpose_bucket_size", "0.49", f"auto, {SIZES} [1..{UINT64}]"),
    "transpose_bucket_size:-1": invalid("transpose_bucket_size", "-1", f"auto, {SIZES} [1..{UINT64}]"),
    "uncompressed:1": invalid("uncompressed", "1", "(empty)"),
    "brotli:12": invalid("brotli", "12", "(empty), integers in the range [0..11]"),
    "brotli:-1": invalid("brotli", "-1", "(empty), integers in the range [0..11]"),
    "brotli: ": invalid("brotli", " ", "(empty), integers in the range [0..11]"),
    "zstd:23": invalid("zstd", "23", "(empty), integers in the range [-131072..22]"),
    "zstd:-131073": invalid("zstd", "-131073", "(empty), integers in the range [-131072..22]"),
    "snappy:0": invalid("snappy", "0", "(empty), integers in the range [1..2]"),
    "snappy:3": invalid("snappy", "3", "(empty), integers in the range [1..2]"),
    "window_log": invalid("window_log", "(empty)", "auto, integers in the range [10..31]"),
    "window_log:9": invalid("window_log", "9", "auto, integers in the range [10..31]"),
    "window_log:32": invalid("window_log", "32", "auto, integers in the range [10..31]"),
    "brotli,window_log:31": invalid("window_log", "31", "auto, integers in the range [10..30]"),
    "window_log:31,brotli": invalid("window_log", "31", "auto, integers in the range [10..30]"),
    "pad_to_block_boundary:1": invalid("pad_to_block_boundary", "1", SWITCHES),
    "zstd,brotli": "Option brotli conflicts with option zstd",
    "brotli,zstd": "Option zstd conflicts with option brotli",
    "snappy,uncompressed": "Option uncompressed conflicts with option snappy",
    "uncompressed,snappy": "Option snappy conflicts with option uncompressed",
    "uncompressed,zstd,brotli": "Option zstd conflicts with option uncompressed",
    "snappy,window_log:10": "Option window_log conflicts with option snappy",
    "window_log:10,snappy": "Option snappy conflicts with option window_log",
    "uncompressed,window_log:auto": "Option window_log conflicts with option uncompressed",
    "window_log:auto,uncompressed": "Option uncompressed conflicts with option window_log",
}  # fmt: skip

# With several errors, one is told: of what is not about compression first, then of several codecs, then of values.
WRITER_FIRST_ERRORS = {
    "foo,group_size:0": f"Unknown option foo, valid options: {WRITER_KEYS}",
    "group_size:0,foo": invalid("group_size", "0", COUNTS),
    "group_size:x,group_size:1": invalid("group_size", "x", COUNTS),
    "zstd:99,group_size:0": invalid("group_size", "0", COUNTS),
    "zstd,brotli,foo": f"Unknown option foo, valid options: {WRITER_KEYS}",
    "zstd,brotli,zstd": "Option zstd is present more than once",
    "window_log:99,transpose:x": invalid("transpose", "x", SWITCHES),
    "brotli:99,zstd": "Option zstd conflicts with option brotli",
    "window_log:10,snappy,zstd": "Option zstd conflicts with option snappy",
    "window_log:99,zstd:99": invalid("window_log", "99", "auto, integers in the range [10..31]"),
    "zstd:99,window_log:99": invalid("zstd", "99", "(empty), integers in the range [-131072..22]"),
    "snappy:9,window_log:10": invalid("snappy", "9", "(empty), integers in the range [1..2]"),
    "window_log:5,snappy:9": "Option snappy conflicts with option window_log",
    "uncompressed,window_log:5": "Option window_log conflicts with option uncompressed",
}


def differing(options: object, defaults: object) -> dict[str, Any]:
    before: dict[str, Any] = asdict(defaults)  # type: ignore[call-overload]
    after: dict[str, Any] = asdict(options)  # type: ignore[call-overload]
    return {name: value for name, value in after.items() if value != before[name]}


@pytest.mark.parametrize(("text", "changes"), WRITER_TEXTS.items())
@pytest.mark.parametrize("strict", [True, False])
def test_a_text_for_the_writer_sets_what_it_says(text, changes, strict):
    options = ArrayRecordWriterOptions.parse(text, strict=strict)
    assert differing(options, ArrayRecordWriterOptions()) == changes


@pytest.mark.parametrize(("text", "message"), (WRITER_ERRORS | WRITER_FIRST_ERRORS).items())
@pytest.mark.parametrize("strict", [True, False])
def test_a_wrong_text_for_the_writer_is_refused_in_the_words_of_the_original(text, message, strict):
    with pytest.raises(OptionError) as caught:
        ArrayRecordWriterOptions.parse(text, strict=strict)
    assert str(caught.value) == message


def test_the_defaults_are_those_of_the_original():
    assert asdict(parse_strictly("")) == {
        "group_size": 1,
        "max_parallelism": None,
        "saturation_delay_ms": 10,
        "transpose": False,
        "transpose_bucket_size": 256,
        "codec": "zstd",
        "level": 3,
        "window_log": 20,
        "pad_to_block_boundary": False,
    }


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("", DEFAULT_TEXT),
        ("max_parallelism:4,saturation_delay_ms:7,transpose_bucket_size:1M", DEFAULT_TEXT),
        ("group_size:256", DEFAULT_TEXT.replace("group_size:1", "group_size:256")),
        ("pad_to_block_boundary:true", DEFAULT_TEXT.replace("boundary:false", "boundary:true")),
        ("transpose", DEFAULT_TEXT.replace("transpose:false", "transpose:true").replace(
            "false,zstd", "false,transpose_bucket_size:256,zstd")),
        ("uncompressed", DEFAULT_TEXT.replace("zstd:3,window_log:20", "uncompressed")),
        ("snappy:2", DEFAULT_TEXT.replace("zstd:3,window_log:20", "snappy")),
        ("brotli", DEFAULT_TEXT.replace("zstd:3,window_log:20", "brotli:6")),
        ("brotli:0,window_log:22", DEFAULT_TEXT.replace("zstd:3,window_log:20", "brotli:0,window_log:22")),
        ("zstd:-7,window_log:31", DEFAULT_TEXT.replace("zstd:3,window_log:20", "zstd:-7,window_log:31")),
    ],
)  # fmt: skip
def test_the_text_of_a_file_has_the_order_of_the_original(text, told):
    assert parse_strictly(text).text() == told


@pytest.mark.parametrize("text", WRITER_TEXTS)
def test_the_text_of_a_file_means_itself(text):
    told = parse_strictly(text).text()
    assert parse_strictly(told).text() == told


# --- what a file says ----------------------------------------------------------------------------------------------


def test_a_file_without_a_text_says_nothing():
    assert ArrayRecordWriterOptions.of_file(None) is None


@pytest.mark.parametrize("text", ["", "zstd:5", "brotli", "brotli,window_log:18", "snappy", "group_size:9,uncompressed",
                                  "transpose,transpose_bucket_size:8K,pad_to_block_boundary:true"])  # fmt: skip
def test_what_a_file_says_is_what_it_was_written_with(text):
    options = parse_strictly(text)
    assert ArrayRecordWriterOptions.of_file(options.text()) == options


@pytest.mark.parametrize(
    ("text", "changes"),
    [
        ("group_size:4,from_the_future:7,zstd:5", {"group_size": 4, "level": 5}),
        ("group_size:zero,zstd:5", {"level": 5}),
        ("group_size:4,group_size:5", {"group_size": 4}),
        ("zstd:99,window_log:15", {"window_log": 15}),
        ("brotli:2,zstd:5", {"codec": "brotli", "level": 2, "window_log": None}),
        ("window_log:15,snappy", {"codec": "snappy", "level": 1, "window_log": None}),
        ("snappy,window_log:15", {"codec": "snappy", "level": 1, "window_log": None}),
        ("lz4:3,group_size:2", {"group_size": 2}),
        ("\0\ud800,:,::,", {}),
    ],
)
def test_what_is_not_understood_in_a_file_is_ignored(text, changes):
    assert differing(ArrayRecordWriterOptions.of_file(text), ArrayRecordWriterOptions()) == changes


def test_how_many_threads_wrote_a_file_is_no_option_of_the_file():
    options = ArrayRecordWriterOptions.of_file("group_size:2,max_parallelism:1")
    assert options == ArrayRecordWriterOptions(group_size=2)


@settings(deadline=None)
@given(text=st.text(max_size=60))
def test_no_text_in_a_file_is_an_error(text):
    assert ArrayRecordWriterOptions.of_file(text) is not None


# --- keywords ------------------------------------------------------------------------------------------------------

KEYWORDS: list[tuple[dict[str, Any], str]] = [
    ({}, ""),
    ({"codec": "zstd"}, "zstd"),
    ({"codec": "zstd:7"}, "zstd:7"),
    ({"codec": "zstd:-5"}, "zstd:-5"),
    ({"codec": "brotli"}, "brotli"),
    ({"codec": "brotli:11", "window_log": 30}, "brotli:11,window_log:30"),
    ({"codec": "snappy:2"}, "snappy:2"),
    ({"codec": "none"}, "uncompressed"),
    ({"codec": "uncompressed"}, "uncompressed"),
    ({"window_log": 31}, "window_log:31"),
    ({"group_size": 256}, "group_size:256"),
    ({"group_size": np.int32(256)}, "group_size:256"),
    ({"transpose": True}, "transpose"),
    ({"transpose": False, "pad_to_block_boundary": False}, ""),
    ({"pad_to_block_boundary": True}, "pad_to_block_boundary:true"),
    ({"transpose": True, "transpose_bucket_size": 4096}, "transpose,transpose_bucket_size:4096"),
    ({"transpose": True, "transpose_bucket_size": "16kB"}, "transpose,transpose_bucket_size:16K"),
    ({"max_parallelism": 3, "saturation_delay_ms": 20}, "max_parallelism:3,saturation_delay_ms:20"),
    ({"options": "group_size:4,brotli:1"}, "group_size:4,brotli:1"),
    ({"options": "transpose_bucket_size:16MB"}, "transpose_bucket_size:16M"),
    ({"options": ""}, ""),
]


@pytest.mark.parametrize(("keywords", "text"), KEYWORDS)
def test_keywords_mean_what_the_text_means(keywords, text):
    assert ArrayRecordWriterOptions.from_keywords(**keywords) == parse_strictly(text)


def test_a_bucket_size_given_as_a_number_is_not_rounded():
    options = ArrayRecordWriterOptions.from_keywords(transpose_bucket_size=2**53 + 1)
    assert options.transpose_bucket_size == 2**53 + 1


@pytest.mark.parametrize(
    ("keywords", "message"),
    [
        ({"group_size": 0}, invalid("group_size", "0", COUNTS)),
        ({"group_size": 2**31}, invalid("group_size", "2147483648", COUNTS)),
        ({"group_size": True}, "group_size is True; allowed are integers"),
        ({"group_size": "4"}, "group_size is '4'; allowed are integers"),
        ({"group_size": 4.0}, "group_size is 4.0; allowed are integers"),
        ({"max_parallelism": 0}, invalid("max_parallelism", "0", f"auto, {COUNTS}")),
        ({"max_parallelism": "auto"}, "max_parallelism is 'auto'; allowed are integers"),
        ({"saturation_delay_ms": -1}, invalid("saturation_delay_ms", "-1", COUNTS)),
        ({"transpose": 1}, "transpose is 1; allowed are True and False"),
        ({"pad_to_block_boundary": "true"}, "pad_to_block_boundary is 'true'; allowed are True and False"),
        ({"window_log": 9}, invalid("window_log", "9", "auto, integers in the range [10..31]")),
        ({"codec": "brotli", "window_log": 31}, invalid("window_log", "31", "auto, integers in the range [10..30]")),
        ({"codec": "snappy", "window_log": 15}, "Option window_log conflicts with option snappy"),
        ({"codec": "none", "window_log": 15}, "Option window_log conflicts with option uncompressed"),
        ({"codec": "zstd:23"}, "codec is 'zstd:23'; zstd has the levels -131072 to 22"),
        ({"codec": "zstd:fast"}, "codec is 'zstd:fast'; zstd has the levels -131072 to 22"),
        ({"codec": "zstd:3,transpose"}, "codec is 'zstd:3,transpose'; zstd has the levels -131072 to 22"),
        ({"codec": "none:1"}, "codec is 'none:1'; none has no levels"),
        ({"codec": "lz4"}, f"codec is 'lz4'; allowed are {CODECS}"),
        ({"codec": ""}, f"codec is ''; allowed are {CODECS}"),
        ({"codec": 3}, f"codec is 3; allowed are {CODECS}"),
        ({"codec": "window_log:10"}, f"codec is 'window_log:10'; allowed are {CODECS}"),
        ({"transpose_bucket_size": 0}, f"transpose_bucket_size is 0; allowed are {CASUAL}, in the range [1..{UINT64}]"),
        ({"transpose_bucket_size": "4 apples"},
         f"transpose_bucket_size is '4 apples'; allowed are {CASUAL}, in the range [1..{UINT64}]"),
        ({"options": 3}, "options is 3; allowed are texts such as 'group_size:1,zstd:7'"),
        ({"options": "zstd", "codec": "zstd", "group_size": 2},
         "options is the whole text; codec, group_size can be said in it, but not beside it"),
        ({"options": "", "transpose": False},
         "options is the whole text; transpose can be said in it, but not beside it"),
        ({"options": "group_size:0"}, invalid("group_size", "0", COUNTS)),
    ],
)  # fmt: skip
def test_a_wrong_keyword_is_named_with_its_value_and_what_is_allowed(keywords, message):
    with pytest.raises(OptionError) as caught:
        ArrayRecordWriterOptions.from_keywords(**keywords)
    assert str(caught.value) == message


# --- texts of the reader -------------------------------------------------------------------------------------------

READER_TEXTS: dict[str, dict[str, Any]] = {
    "": {},
    ",": {},
    "max_parallelism:auto": {},
    "max_parallelism:0": {"max_parallelism": 0},
    "max_parallelism:-0": {"max_parallelism": 0},
    "max_parallelism:2147483647": {"max_parallelism": INT32},
    "readahead_buffer_size:auto": {},
    "readahead_buffer_size:0": {},
    "readahead_buffer_size:-0": {},
    "readahead_buffer_size:0.4": {},
    "readahead_buffer_size:16M": {"readahead_buffer_size": 2**24},
    "readahead_buffer_size:1G": {"readahead_buffer_size": 2**30},
    "readahead_buffer_size:1073741824.4": {"readahead_buffer_size": 2**30},
    "index_storage_option": {},
    "index_storage_option:": {},
    "index_storage_option:in_memory": {},
    "index_storage_option:offloaded,footer_prefetch_bytes:0": {
        "index_storage_option": "offloaded", "footer_prefetch_bytes": 0,
    },
    "footer_prefetch_bytes:0.4,index_storage_option:offloaded": {
        "index_storage_option": "offloaded", "footer_prefetch_bytes": 0,
    },
    "footer_prefetch_bytes:auto": {},
    "footer_prefetch_bytes:0": {"footer_prefetch_bytes": 0},
    "footer_prefetch_bytes:1G": {"footer_prefetch_bytes": 2**30},
    "readahead_buffer_size:0,max_parallelism:0": {"max_parallelism": 0},
}  # fmt: skip

READER_ERRORS = {
    "foo": f"Unknown option foo, valid options: {READER_KEYS}",
    "default": f"Unknown option default, valid options: {READER_KEYS}",
    "group_size:1": f"Unknown option group_size, valid options: {READER_KEYS}",
    "readahead_buffer_size:0,readahead_buffer_size:0": "Option readahead_buffer_size is present more than once",
    "max_parallelism": invalid("max_parallelism", "(empty)", "auto, integers in the range [0..2147483647]"),
    "max_parallelism:-1": invalid("max_parallelism", "-1", "auto, integers in the range [0..2147483647]"),
    "max_parallelism:2147483648": invalid(
        "max_parallelism", "2147483648", "auto, integers in the range [0..2147483647]"
    ),
    "readahead_buffer_size": invalid("readahead_buffer_size", "(empty)", f"auto, {SIZES} [0..1073741824]"),
    "readahead_buffer_size:-0.4": invalid("readahead_buffer_size", "-0.4", f"auto, {SIZES} [0..1073741824]"),
    "readahead_buffer_size:inf": invalid("readahead_buffer_size", "inf", f"auto, {SIZES} [0..1073741824]"),
    "readahead_buffer_size:1073741824.5": invalid(
        "readahead_buffer_size", "1073741824.5", f"auto, {SIZES} [0..1073741824]"
    ),
    "index_storage_option:x": invalid("index_storage_option", "x", "(empty), in_memory, offloaded"),
    "footer_prefetch_bytes": invalid("footer_prefetch_bytes", "(empty)", f"auto, {SIZES} [0..1073741824]"),
    "footer_prefetch_bytes:2G": invalid("footer_prefetch_bytes", "2G", f"auto, {SIZES} [0..1073741824]"),
    "index_storage_option:offloaded,foo": f"Unknown option foo, valid options: {READER_KEYS}",
}

NO_PREFETCH = "footer_prefetch_bytes > 0 is only supported with index_storage_option:in_memory."
READER_STRICT_ERRORS = {
    "index_storage_option:offloaded": NO_PREFETCH,
    "index_storage_option:offloaded,footer_prefetch_bytes:auto": NO_PREFETCH,
    "footer_prefetch_bytes:1,index_storage_option:offloaded": NO_PREFETCH,
    "readahead_buffer_size:64MB": invalid("readahead_buffer_size", "64MB", f"auto, {SIZES} [0..1073741824]"),
    "footer_prefetch_bytes:1 mib": invalid("footer_prefetch_bytes", "1 mib", f"auto, {SIZES} [0..1073741824]"),
}


@pytest.mark.parametrize(("text", "changes"), READER_TEXTS.items())
@pytest.mark.parametrize("strict", [True, False])
def test_a_text_for_the_reader_sets_what_it_says(text, changes, strict):
    options = ArrayRecordReaderOptions.parse(text, strict=strict)
    assert differing(options, ArrayRecordReaderOptions()) == changes


@pytest.mark.parametrize(("text", "message"), (READER_ERRORS | READER_STRICT_ERRORS).items())
def test_a_wrong_text_for_the_reader_is_refused_in_the_words_of_the_original(text, message):
    with pytest.raises(OptionError) as caught:
        ArrayRecordReaderOptions.parse(text, strict=True)
    assert str(caught.value) == message


@pytest.mark.parametrize("text", READER_ERRORS)
def test_a_wrong_text_for_the_reader_is_wrong_however_it_is_read(text):
    with pytest.raises(OptionError):
        ArrayRecordReaderOptions.parse(text)


@pytest.mark.parametrize(
    ("text", "changes"),
    [
        ("index_storage_option:offloaded", {"index_storage_option": "offloaded"}),
        ("readahead_buffer_size:64MB", {"readahead_buffer_size": 64 * 2**20}),
        ("footer_prefetch_bytes:2 mib", {"footer_prefetch_bytes": 2**21}),
    ],
)
def test_what_only_the_original_refuses_is_taken_where_not_strict(text, changes):
    assert differing(ArrayRecordReaderOptions.parse(text), ArrayRecordReaderOptions()) == changes


def test_the_defaults_of_the_reader_are_those_of_the_original():
    assert ArrayRecordReaderOptions.parse("", strict=True) == ArrayRecordReaderOptions(
        max_parallelism=None, readahead_buffer_size=0, index_storage_option="in_memory", footer_prefetch_bytes=2**20
    )
