"""`octavo.integrations.torch` under a name that is quicker to type."""

from octavo.integrations.torch import *  # noqa: F403 - the names are listed there
from octavo.integrations.torch import __all__ as __all__  # noqa: PLC0414 - the same
