"""`octavo demo`: the whole story, checked, and nothing left behind."""

from __future__ import annotations

import os
import shlex
import sys
from pathlib import Path

import pytest

import octavo as library
from octavo.cli import _demo_story

FEW = ("--records", "500")


class TestStory:
    def test_it_writes_converts_reads_damages_and_recovers(self, octavo, tmp_path: Path) -> None:
        report = octavo("demo", *FEW, "--json").json
        assert report["ok"]
        assert report["records"] == 500
        assert report["recovered_records"] + report["lost_records"] == 500
        assert 0 < report["lost_records"] < 500
        steps = [step["what"] for step in report["steps"]]
        for wanted in ("write FFRecord", "write ArrayRecord", "write RecordIO", "convert FFRecord to ArrayRecord"):
            assert wanted in steps
        for beginning in ("read, ", "read_batch, ", "verify, ", "recover, ", "append, ", "read 4 tasks, "):
            assert any(step.startswith(beginning) for step in steps)
        assert all(step["seconds"] > 0 for step in report["steps"])
        assert len(report["checks"]) >= 10
        assert all(check["ok"] for check in report["checks"])
        assert (report["folder"], report["commands"]) == (None, [])
        assert os.listdir(tmp_path) == []

    def test_it_tells_what_it_does_and_ends_with_what_to_try_next(self, octavo) -> None:
        result = octavo("demo", *FEW)
        assert result.stderr == ""
        assert result.lines[0].startswith("500 records of JSON, ")
        assert "  verify: 64 records damaged, in 1 place" in result.lines
        assert any(line.split() == ["on", "this", "machine,", "once", "seconds", "records/s"] for line in result.lines)
        assert result.lines[-1].startswith("Next: 'octavo demo --keep FOLDER'")
        assert "? NO" not in result.text

    @pytest.mark.parametrize("count", [1, 2, 63, 64, 65])
    def test_any_number_of_records_will_do(self, octavo, count: int) -> None:
        report = octavo("demo", "--records", count, "--json").json
        assert report["ok"]
        assert report["records"] == count

    @pytest.mark.parametrize("count", ["0", "-1", "1000001", "many"])
    def test_but_not_none_or_very_many(self, octavo, count: str) -> None:
        octavo("demo", "--records", count, check=2)

    def test_records_are_the_same_every_time(self) -> None:
        assert list(_demo_story.made_up(10)) == list(_demo_story.made_up(10))

    def test_it_needs_no_numpy(self, octavo, tmp_path: Path) -> None:
        (tmp_path / "numpy.py").write_text("raise ImportError('there is no NumPy here')", encoding="utf-8")
        octavo("demo", *FEW, environment={"PYTHONPATH": f"{tmp_path}{os.pathsep}{os.pathsep.join(sys.path)}"})

    def test_what_is_not_so_is_a_failure(self, tmp_path: Path) -> None:
        lines: list[str] = []
        story = _demo_story.story(str(tmp_path), 200, lines.append)
        story.records[7] = b"another one"  # so that the digest is not theirs
        story.run()
        assert not story.ok
        assert any(line.endswith("? NO") for line in lines)

    def test_temporary_files_are_removed(self, octavo, tmp_path: Path) -> None:
        (tmp_path / "temporary").mkdir()
        octavo("demo", *FEW, environment={"TMPDIR": str(tmp_path / "temporary")})
        assert os.listdir(tmp_path / "temporary") == []


class TestKeep:
    def test_files_stay_and_every_command_that_is_shown_works(self, octavo, tmp_path: Path) -> None:
        report = octavo("demo", *FEW, "--keep", "a folder/inside", "--json").json
        assert report["folder"] == "a folder/inside"
        assert len(library.open(tmp_path / "a folder" / "inside" / "train.ffr")) == 500
        assert len(report["commands"]) >= 5
        for command in report["commands"]:
            words = shlex.split(command)
            assert words[0] == "octavo"
            status = 3 if words[1] in {"verify", "recover"} else 0
            extra = ("--seconds", "0.2") if words[1] == "bench" else ()
            octavo(*words[1:], *extra, check=status)

    def test_commands_are_printed(self, octavo) -> None:
        lines = octavo("demo", *FEW, "--keep", "files").lines
        at = lines.index("Next, try these:")
        assert lines[at + 1] == "  octavo info files/train.array_record"
        assert all(line.startswith("  octavo ") for line in lines[at + 1 :])

    def test_a_folder_that_is_empty_will_do(self, octavo, tmp_path: Path) -> None:
        (tmp_path / "empty").mkdir()
        octavo("demo", *FEW, "--keep", "empty")
        assert (tmp_path / "empty" / "recovered.array_record").exists()

    def test_nothing_is_ever_replaced(self, octavo, tmp_path: Path) -> None:
        (tmp_path / "mine").mkdir()
        (tmp_path / "mine" / "notes").write_text("mine", encoding="utf-8")
        (tmp_path / "file").write_text("mine", encoding="utf-8")
        for name in ("mine", "file"):
            assert "there is something already" in octavo("demo", *FEW, "--keep", name, check=1).stderr
        assert os.listdir(tmp_path / "mine") == ["notes"]
        assert (tmp_path / "file").read_text("utf-8") == "mine"

    def test_a_folder_that_cannot_be_made_is_told_in_a_line(self, octavo, tmp_path: Path) -> None:
        (tmp_path / "file").write_bytes(b"")
        assert octavo("demo", *FEW, "--keep", "file/inside", check=1).stderr.startswith("octavo: ")

    def test_what_fails_leaves_nothing(self, monkeypatch, tmp_path: Path) -> None:
        from octavo.cli import demo

        def failing(folder: str, *_: object) -> None:
            Path(folder, "half").write_bytes(b"")
            raise OSError(28, "No space left on device")

        monkeypatch.setattr(demo, "story", failing)
        (tmp_path / "empty").mkdir()
        for name in ("new", "empty"):
            with pytest.raises(OSError, match="No space"):
                demo.demo(records=1, keep=str(tmp_path / name), json=True)
        assert os.listdir(tmp_path) == ["empty"]
        assert os.listdir(tmp_path / "empty") == []
