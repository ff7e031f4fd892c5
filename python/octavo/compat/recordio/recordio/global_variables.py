"""What the modules of the original share."""

from typing import Literal

int_word_len = 4
"""Bytes of a number."""
endian: Literal["little"] = "little"
"""Their order."""
code_type = "utf-8"
"""How text is stored."""
header_size = 20
"""Bytes of a chunk's header."""
