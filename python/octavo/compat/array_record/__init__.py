"""`array_record` on octavo's engine: the names, the results and the errors of the original package, version 0.8.6."""
