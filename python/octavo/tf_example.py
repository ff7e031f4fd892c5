"""`tf.train.Example` and `tf.train.SequenceExample` as bytes, without TensorFlow and without protobuf.

>>> from octavo import tf_example
>>> record = tf_example.encode({"label": [7], "name": [b"a cat"]})
>>> tf_example.parse(record)
{'label': [7], 'name': [b'a cat']}
"""

from __future__ import annotations

from octavo._tf_example import Features, SequenceExample, Values, encode, parse, parse_sequence

__all__ = ["Features", "SequenceExample", "Values", "encode", "parse", "parse_sequence"]
