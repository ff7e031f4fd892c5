"""FFRecord's import name, served by octavo."""

from octavo.compat._shim import take_over

take_over(__name__, "ffrecord")
