"""What every command promises (docs/cli/index.md)."""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys

import pytest

import octavo as library
from octavo._folder import pack
from tests.cli.conftest import TIMEOUT_S, clean_environment
from tests.cli.terminals import on_a_terminal

app = pytest.importorskip("octavo.cli._app", reason="the command line needs typer: 'make test EXTRAS=all' installs it")

COMMANDS = app.COMMANDS
# What a command is called with when its files are missing; {} is the one that is not there.
MISSING = {
    "info": ["{}"],
    "ls": ["{}"],
    "head": ["{}"],
    "get": ["{}", "0"],
    "cat": ["{}"],
    "view": ["{}"],
    "count": ["{}"],
    "partitions": ["{}", "-n", "2"],
    "manifest": ["{}", "target.octm"],
    "verify": ["{}"],
    "recover": ["{}", "target.ffr"],
    "diff": ["{}", "{}"],
    "digest": ["{}"],
    "convert": ["{}", "target.array_record"],
    "merge": ["{}", "target.array_record"],
    "split": ["{}", "target@2.array_record"],
    "append": ["{}", "{}"],
    "shuffle": ["{}", "target.array_record", "--seed", "1"],
    "pack": ["{}", "target.ffr"],
    "unpack": ["{}", "target"],
    "bench": ["{}"],
    "demo": None,
}
# What a command is called with on a file that is there, to give JSON.
SOUND = {
    "info": ["some.ffr"],
    "ls": ["some.ffr"],
    "head": ["some.ffr"],
    "get": ["some.ffr", "0"],
    "cat": ["some.ffr"],
    "view": ["some.ffr"],
    "count": ["some.ffr"],
    "partitions": ["some.ffr", "-n", "2"],
    "manifest": ["some.ffr", "target.octm"],
    "verify": ["some.ffr"],
    "recover": ["some.ffr", "target.ffr"],
    "diff": ["some.ffr", "some.ffr"],
    "digest": ["some.ffr"],
    "convert": ["some.ffr", "target.array_record"],
    "merge": ["some.ffr", "target.array_record"],
    "split": ["some.ffr", "target@2.array_record"],
    "append": ["some.tfrecord", "some.ffr"],
    "shuffle": ["some.ffr", "target.array_record"],
    "pack": ["folder", "target.ffr"],
    "unpack": ["packed.ffr", "target"],
    "bench": ["some.ffr"],
    "demo": [],
}
SLOW = {"bench", "demo", "view"}  # these measure, which takes as long as it takes; or stay until Ctrl-C


@pytest.fixture
def files(tmp_path):
    """Something for every command."""
    records = [b"record %d" % number for number in range(100)]
    for name in ("some.ffr", "some.tfrecord"):
        with library.create(tmp_path / name) as writer:
            writer.write_many(records)
    (tmp_path / "folder").mkdir()
    (tmp_path / "folder" / "file.txt").write_bytes(b"content")
    pack(tmp_path / "folder", tmp_path / "packed.ffr")
    return tmp_path


def is_harmless(text: str) -> bool:
    return re.search("[\x00-\x09\x0b-\x1f\x7f-\x9f]", text) is None


def test_these_are_all_commands():
    assert [*MISSING] == [*SOUND] == [*COMMANDS]


@pytest.mark.parametrize("command", COMMANDS)
def test_help_says_what_a_command_does(octavo, command):
    done = octavo(command, "--help")
    assert done.text.startswith(f"Usage: octavo {command} ")
    assert "--help" in done.text
    assert done.stderr == ""
    assert is_harmless(done.text)


def test_the_program_says_what_there_is(octavo):
    told = octavo("--help").text
    for command in COMMANDS:
        assert re.search(rf"^  {command} +\S", told, re.MULTILINE), command
    assert octavo("-h").text == told
    assert octavo("--version").text == f"octavo {library.__version__}\n"


def test_no_command_at_all_is_wrong_usage(octavo):
    assert "Usage" in octavo(check=2).text + octavo(check=2).stderr
    assert octavo("nonsense", check=2).stdout == b""


@pytest.mark.parametrize(
    ("line", "missing"),
    [
        (["convert"], "SOURCE"),
        (["convert", "some.ffr"], "TARGET"),
        (["merge", "some.ffr", "--force"], "TARGET"),
        (["recover"], "DAMAGED"),
        (["recover", "some.ffr"], "TARGET"),
        (["append", "some.ffr"], "SOURCE"),
    ],
)
def test_the_argument_that_is_missing_is_named(octavo, line, missing):
    result = octavo(*line, check=2)
    assert f"Missing argument '{missing}'" in result.stderr


@pytest.mark.parametrize("command", COMMANDS)
def test_an_unknown_option_is_wrong_usage(octavo, command):
    done = octavo(command, *(MISSING[command] or []), "--no-such-option", check=2)
    assert done.stdout == b""
    assert "--no-such-option" in done.stderr
    assert is_harmless(done.stderr)


@pytest.mark.parametrize("command", [name for name, arguments in MISSING.items() if arguments is not None])
def test_a_missing_file_is_a_failure_told_in_one_line(octavo, command, tmp_path):
    name = "missing\x1b[31m.ffr"
    done = octavo(command, *(argument.format(name) for argument in MISSING[command] or []), check=1)
    assert done.stdout == b""
    assert done.stderr.startswith("octavo: ")
    assert "missing\\x1b[31m.ffr" in done.stderr
    assert len(done.stderr.splitlines()) == 1
    assert is_harmless(done.stderr)
    assert list(tmp_path.iterdir()) == []


@pytest.mark.parametrize("command", [command for command in COMMANDS if command not in SLOW])
def test_json_is_one_value_and_nothing_else(octavo, files, command):
    done = octavo(command, *SOUND[command], "--json")
    json.loads(done.stdout)
    assert done.stderr == ""
    assert is_harmless(done.text)
    assert files.is_dir()


@pytest.mark.parametrize("command", [command for command in COMMANDS if command not in SLOW])
def test_nothing_but_plain_text_where_there_is_no_terminal(octavo, files, command):
    done = octavo(command, *SOUND[command], environment={"FORCE_COLOR": "", "TERM": "xterm-256color"})
    assert is_harmless(done.text)
    assert done.stderr == ""
    assert files.is_dir()


@pytest.mark.parametrize("command", ["info", "verify", "digest", "convert"])
def test_a_bar_is_for_terminals_and_leaves_the_result_alone(octavo, files, command):
    arguments = [command, *SOUND[command], *(["--full"] if command == "info" else [])]
    plain = octavo(*arguments).text
    for target in files.glob("target*"):
        target.unlink()
    with on_a_terminal(files, *arguments) as started:
        status, stdout = started.end()
    assert status == 0
    assert started.shown != ""
    assert stdout.decode() == plain


@pytest.mark.parametrize("command", ["info", "ls", "verify", "digest", "convert"])
def test_names_with_controls_are_shown_harmlessly(octavo, tmp_path, command):
    name = b"\xff\x1b]0;x\x07\n\xe2\x80\xae.ffr"
    path = os.path.join(os.fsencode(tmp_path), name)
    with library.create(os.fsdecode(path)) as writer:
        writer.write(b"record")
    if command == "convert":
        done = octavo(command, path, os.path.join(os.fsencode(tmp_path), b"to\x1b[1m.array_record"))
    else:
        done = octavo(command, path)
    assert is_harmless(done.text)
    assert is_harmless(done.stderr)
    assert "\u202e" not in done.text


@pytest.mark.parametrize("encoding", ["ascii", "latin-1", "cp1252"])
@pytest.mark.parametrize("command", ["info", "ls", "verify", "digest", "partitions"])
def test_any_encoding_of_the_output_will_do(octavo, tmp_path, command, encoding):
    with library.create(tmp_path / "größe-中.ffr") as writer:
        writer.write_many([b"record", b""])
    environment = {"PYTHONIOENCODING": encoding}
    done = octavo(
        command, *(argument.replace("some", "größe-中") for argument in SOUND[command]), environment=environment
    )
    done.stdout.decode(encoding)
    assert b"?" not in done.stdout


@pytest.mark.parametrize("command", ["info", "count", "cat", "verify"])
def test_a_closed_standard_output_is_a_failure(files, command):
    program = f'exec "{sys.executable}" -m octavo {command} some.ffr >&-'
    ended = subprocess.run(
        ["sh", "-c", program], cwd=files, env=clean_environment(), capture_output=True, timeout=TIMEOUT_S, check=False
    )
    assert b"Traceback" not in ended.stderr
    assert ended.returncode == 1
    assert ended.stderr.startswith(b"octavo: ")


@pytest.mark.parametrize("command", ["info", "ls", "head", "cat", "count", "digest --check"])
def test_a_closed_standard_input_is_a_failure(tmp_path, command):
    program = f'exec "{sys.executable}" -m octavo {command} - <&-'
    ended = subprocess.run(
        ["sh", "-c", program],
        cwd=tmp_path,
        env=clean_environment(),
        capture_output=True,
        timeout=TIMEOUT_S,
        check=False,
    )
    assert (ended.returncode, ended.stdout) == (1, b"")
    assert ended.stderr == b"octavo: standard input is closed\n"


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="a full device is Linux's")
@pytest.mark.parametrize("command", ["info", "cat", "digest"])
def test_an_output_that_is_full_is_a_failure_told_in_one_line(files, command):
    with open("/dev/full", "wb") as full:
        ended = subprocess.run(
            [sys.executable, "-m", "octavo", command, "some.ffr"],
            cwd=files,
            env=clean_environment(),
            stdout=full,
            stderr=subprocess.PIPE,
            timeout=TIMEOUT_S,
            check=False,
        )
    assert ended.returncode == 1
    assert ended.stderr == b"octavo: [Errno 28] No space left on device\n"


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_a_script_for_completion_is_offered(octavo, shell):
    script = octavo("--show-completion", shell, environment={"_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION": "1"}).text
    assert "_OCTAVO_COMPLETE" in script
    assert script.strip() == octavo(environment={"_OCTAVO_COMPLETE": f"source_{shell}"}).text.strip()


def complete(octavo, *words: str) -> list[str]:
    """What bash would be offered for the last of these words."""
    environment = {
        "_OCTAVO_COMPLETE": "complete_bash",
        "COMP_WORDS": "\n".join(words),
        "COMP_CWORD": str(len(words) - 1),
    }
    return octavo(environment=environment).text.split()  # type: ignore[no-any-return]


def test_commands_options_and_choices_are_completed(octavo):
    assert complete(octavo, "octavo", "co") == ["count", "convert"]
    assert complete(octavo, "octavo", "count", "--j") == ["--json"]
    assert complete(octavo, "octavo", "cat", "--as", "b") == ["base64"]


def test_names_of_files_are_left_to_the_shell(octavo):
    assert complete(octavo, "octavo", "count", "so") == []
    assert "complete -o default" in octavo(environment={"_OCTAVO_COMPLETE": "source_bash"}).text
