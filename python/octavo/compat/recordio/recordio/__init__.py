"""ElasticDL's package, in the modules it had; and the module of that name in the binding of the Go library."""

from octavo.compat.recordio._go import Index, Scanner
from octavo.compat.recordio.recordio.writer import Writer

__all__ = ["Index", "Scanner", "Writer"]
