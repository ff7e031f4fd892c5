"""Packed folders: the files of a folder as records of one file, found by their paths.

`pack` writes one, `Folder` reads it and extracts from it. Which file is which record is said by a table in the last
record (docs/spec/ffrecord.md, "Packed folders"), whatever the format; in FFRecord the bytes are those of
`ffrecord.pack_folder`.

`TargetFolder` is for everybody who makes files of names that strangers have chosen.
"""

from octavo._folder._extract import ExtractReport
from octavo._folder._pack import PackReport, pack
from octavo._folder._target import TargetFolder
from octavo._folder._view import Folder

__all__ = ["ExtractReport", "Folder", "PackReport", "TargetFolder", "pack"]
