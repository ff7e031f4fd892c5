"""ElasticDL's package, in the modules it had."""
