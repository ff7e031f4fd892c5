"""Where lines begin in the two documents that do not tell any more. Layout only: the text is not ours."""

from __future__ import annotations

# The newer FFRecord README has become one line. By number of the block: words a line, after their indentation.
FFRECORD_NEWER = {
    2: "4 0 0 2 4:8 0 4:10 4:5 4:1 4:2 0 0 14 3 10 4 0 4 4:10 4:1 0 1",
    3: "4 0 0 2 4:4 0 4:11 4:1 4:2 0 0 3 4 4 0 11 10 0 4 4:3 4:5 0 1",
    4: "2 0 4:5 8:4 8:3 0 4:2 8:2 0 4:3 8:9 8:3 8:3 0 8:3 8:7 0 8:3 8:2 12:7 8:2 0 3 6 3",
    5: "3 3 35:1 35:1 35:1 0 3 10 1 0 5 4:5 8:3 0 4:9",
    7: "4 0 3",
    8: "3 5 1 4 2 5 2 1 2 1 2 1 2 1 4 7 12",
    9: "2 0 3 3 3 5 4 4:5 2",
    10: "3 3 3 1",
    11: "2 0 3 3 3 3 1",
    12: "4 0 3 3 1",
    13: "12 4 2 0 3 3 1 8 4 4:3",
    14: "3 5 4:1",
}

# The page of ArrayRecord on PyPI has lost its fences: first and last line of every block, counted from 1.
ARRAY_RECORD_PAGE = [
    (27, 34, "bash"),
    (42, 63, "python"),
    (69, 89, "python"),
    (95, 110, "python"),
    (116, 133, "python"),
    (139, 154, "python"),
    (158, 175, "python"),
    (181, 195, "drawing"),
    (230, 258, "python"),
    (271, 298, "python"),
    (302, 321, "python"),
    (325, 340, "python"),
    (348, 360, "bash"),
]
