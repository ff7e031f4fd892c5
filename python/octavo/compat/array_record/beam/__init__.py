"""`array_record.beam` as the original spells it: a sink, a converting `DoFn` and pipelines made of them.

Its modules can be imported without Apache Beam, which is imported when something of it is used, and none of them looks
at the command line before that.
"""
