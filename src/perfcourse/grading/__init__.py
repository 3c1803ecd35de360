"""Grade submissions: run each behind the wall, ask for its answers, keep and report the results."""
