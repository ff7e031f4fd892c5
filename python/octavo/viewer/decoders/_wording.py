"""How the decoders word what several of them tell."""

from __future__ import annotations

import math

from octavo._record_text import short_float
from octavo._wording import number

ELLIPSIS = "…"
_TIMES = " \N{MULTIPLICATION SIGN} "


def extent(*sizes: int) -> str:
    """Sizes along several axes, with the sign for `times` between them; `scalar` for none."""
    return _TIMES.join(map(number, sizes)) if sizes else "scalar"


def float_text(value: float) -> str:
    """A float of 32 bits or less with as many digits as tell it from its neighbours."""
    return str(short_float(value)) if math.isfinite(value) else str(value)


def cut(text: str, most: int) -> str:
    """The text, or the beginning of it and a sign that there is more."""
    return text if len(text) <= most else text[: most - 1] + ELLIPSIS
