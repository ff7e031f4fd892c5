"""Where the original keeps its data set."""
