"""The one place that imports Ray and pyarrow, and says what to install where they are missing."""

from __future__ import annotations

try:
    import pyarrow as pa
    import ray
    import ray.data
    from ray.data.block import BlockAccessor, BlockMetadata
except ImportError as error:
    message = "octavo.integrations.ray needs Ray Data and pyarrow: pip install 'octavo[ray]'"
    raise ImportError(message) from error

__all__ = ["BlockAccessor", "BlockMetadata", "pa", "ray"]
