"""A target that would become part of its own source: the folder, or what the pattern means, would be another one."""

from __future__ import annotations

import os

import pytest

import octavo
from octavo.errors import OptionError
from tests.convert.adversary import RECORDS, lines, read, write

pytestmark = pytest.mark.usefixtures("working_folder")

REFUSED = "in the folder that is converted"
MATCHED = "matches the pattern that is converted"


@pytest.fixture
def flowers(working_folder):  # noqa: ARG001 - the files are made there
    """A folder of two record files."""
    os.mkdir("flowers")
    write("flowers/a.tfrecord", RECORDS[:500])
    write("flowers/b.tfrecord", RECORDS[500:])
    return "flowers"


@pytest.fixture
def unchanged(flowers):  # noqa: ARG001 - what is looked at
    """Whatever a test does, the folder stays as it was."""
    yield
    assert sorted(os.listdir("flowers")) == ["a.tfrecord", "b.tfrecord"]
    assert sorted(os.listdir(".")) in (["flowers"], ["flowers", "link"])


@pytest.mark.usefixtures("unchanged")
class TestFoldersOfRecordFiles:
    @pytest.mark.parametrize(
        ("target", "options"),
        [
            ("flowers/", {"format": "array_record"}),
            ("flowers", {"format": "array_record"}),
            ("flowers/all.ffr", {}),
            ("flowers/all@3.tfrecord", {}),
            ("flowers/all.tfrecord", {"shuffle": 1}),
            ("flowers/all.tfrecord", {"max_records": 10}),
            ("flowers/all.jsonl.tfrecord", {"format": "jsonl"}),
            ("flowers/../flowers/all.ffr", {}),
        ],
    )
    def test_a_target_that_would_be_read_as_part_of_the_folder_is_refused(self, target, options):
        for overwrite in (False, True):
            with pytest.raises(OptionError, match=REFUSED):
                octavo.convert("flowers", target, overwrite=overwrite, **options)

    def test_the_message_names_both_and_the_way_out(self):
        with pytest.raises(OptionError) as raised:
            octavo.convert("flowers", "flowers/all.ffr")
        assert str(raised.value) == (
            f"{os.path.abspath('flowers/all.ffr')}: the target is in the folder that is converted, "
            "flowers, and would be read as part of it from then on; "
            "write to another folder, or name the source files by a pattern that leaves the target out"
        )

    @pytest.mark.parametrize("source", [["flowers"], ["flowers/a.tfrecord", "flowers"], "flowers/", "./flowers"])
    def test_a_folder_among_several_sources_counts_as_well(self, source):
        with pytest.raises(OptionError, match=REFUSED):
            octavo.convert(source, "flowers/all.tfrecord")

    @pytest.mark.parametrize(("source", "target"), [("link", "flowers/x.ffr"), ("flowers", "link/x.ffr")])
    def test_links_are_seen_through(self, source, target):
        os.symlink("flowers", "link")
        with pytest.raises(OptionError, match=REFUSED):
            octavo.convert(source, target)


@pytest.mark.usefixtures("flowers")
class TestBesideTheFilesThatAreRead:
    def test_a_file_that_the_folder_is_read_without_may_be_in_it(self):
        octavo.convert("flowers", "flowers/all.jsonl")
        assert octavo.digest("flowers") == octavo.digest("flowers/all.jsonl")

    def test_a_folder_below_is_no_part_of_a_folder_of_record_files(self):
        octavo.convert("flowers", "flowers/other/", format="array_record")
        assert read("flowers") == read("flowers/other") == RECORDS

    def test_a_pattern_that_leaves_the_target_out_is_fine(self):
        octavo.convert("flowers/*.tfrecord", "flowers/all.array_record")
        octavo.convert("flowers/?.tfrecord", "flowers/all.tfrecord")
        octavo.convert("flowers/?.tfrecord", "flowers/", format="ffrecord")
        assert octavo.digest("flowers/all.tfrecord") == octavo.digest("flowers/?.ffr")

    def test_files_named_one_by_one_are_fine(self):
        octavo.convert(["flowers/a.tfrecord", "flowers/b.tfrecord"], "flowers/all.tfrecord")
        assert read("flowers/all.tfrecord") == RECORDS

    def test_a_sharded_name_stays_what_it_is(self):
        octavo.convert("flowers/?.tfrecord", "flowers/x@2.ffr")
        octavo.convert("flowers/x@2.ffr", "flowers/x@3.ffr")
        assert read("flowers/x@2.ffr") == read("flowers/x@3.ffr")


@pytest.mark.usefixtures("unchanged")
class TestPatterns:
    @pytest.mark.parametrize(
        ("pattern", "target"),
        [
            ("flowers/*.tfrecord*", "flowers/all.tfrecord"),
            ("flowers/*.tfrecord*", "flowers/all.tfrecord.gz"),
            ("flowers/*.tfrecord*", "flowers/all@3.tfrecord"),
            ("flowers/*", "flowers/all.array_record"),
            ("flow*/*.tfrecord", "flowers/all.tfrecord"),
            ("flow*/*.tfrecord", "flowery/all.tfrecord"),
            ("flow*", "flowers/all.ffr"),
            ("flow*", "flowery/all.ffr"),
            ("**/*.tfrecord", "flowers/deep/er/all.tfrecord"),
            ("**/*.tfrecord", "all.tfrecord"),
            ("flowers/**", "flowers/deep/all.ffr"),
            ("flowers/../flowers/*.tfrecord", "flowers/all.tfrecord"),
            ("link/*.tfrecord", "flowers/all.tfrecord"),
            ("li*/*.tfrecord", "flowers/all.tfrecord"),
            ("li*", "flowers/all.tfrecord"),
            ("flowers/*.tfrecord", "link/all.tfrecord"),
        ],
    )
    def test_a_target_that_the_pattern_would_match_is_refused(self, pattern, target):
        os.symlink("flowers", "link")
        for overwrite in (False, True):
            with pytest.raises(OptionError, match=MATCHED):
                octavo.convert(pattern, target, overwrite=overwrite)

    def test_the_message_names_both_and_the_way_out(self):
        with pytest.raises(OptionError) as raised:
            octavo.convert("flowers/*", "flowers/all.ffr")
        assert str(raised.value) == (
            f"{os.path.abspath('flowers/all.ffr')}: the target matches the pattern that is converted, "
            "flowers/*, and would be read as part of it from then on; "
            "write to another folder, or name the source files by a pattern that leaves the target out"
        )

    def test_one_pattern_of_several_is_enough(self):
        with pytest.raises(OptionError, match=MATCHED):
            octavo.convert(["flowers/a*", "flowers/b*"], "flowers/bc.tfrecord")


class TestNamesThatLookLikePatterns:
    @pytest.mark.usefixtures("flowers")
    def test_hidden_and_side_files_match_no_star(self):
        octavo.convert("flowers/*", "flowers/.all.tfrecord")
        octavo.convert("flowers/[ab]*", "flowers/a.ffr.partial", format="ffrecord")
        assert octavo.digest("flowers/*") == octavo.digest("flowers/.all.tfrecord")

    def test_a_folder_with_a_star_in_its_name_is_a_folder(self):
        os.mkdir("a*")
        write("a*/x.tfrecord")
        with pytest.raises(OptionError, match=REFUSED):
            octavo.convert("a*", "a*/y.tfrecord")
        octavo.convert("a*", "ab.tfrecord")
        assert read("ab.tfrecord") == RECORDS

    def test_brackets_in_the_working_folder_are_no_pattern(self, monkeypatch):
        os.mkdir("[x]")
        monkeypatch.chdir("[x]")
        write("a.tfrecord")
        with pytest.raises(OptionError, match=MATCHED):
            octavo.convert("*.tfrecord", "b.tfrecord")


class TestFoldersOfOtherFiles:
    @pytest.mark.parametrize(
        "target", ["lines/all.jsonl", "lines/all.ffr", "lines/", "lines/new/", "lines/new/all.ffr"]
    )
    def test_what_would_make_another_folder_of_one_of_json_lines_is_refused(self, target):
        os.mkdir("lines")
        lines("lines/a.jsonl", range(10))
        with pytest.raises(OptionError, match=REFUSED):
            octavo.convert("lines", target, format="ffrecord" if target.endswith("/") else None)
        assert os.listdir("lines") == ["a.jsonl"]

    def test_where_somebody_says_json_lines_only_those_count(self):
        os.mkdir("lines")
        lines("lines/a.jsonl", range(10))
        with pytest.raises(OptionError, match=REFUSED):
            octavo.convert("lines", "lines/all.jsonl", source_format="jsonl")
        octavo.convert("lines", "lines/all.ffr", source_format="jsonl")
        assert octavo.digest("lines", format="jsonl") == octavo.digest("lines/all.ffr")
