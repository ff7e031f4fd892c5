"""octavo's benchmarks: cases are data (`cases.toml`), engines are small adapters (`engines/`), figures are ratios."""
