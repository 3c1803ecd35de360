"""What an instructor types: `perfcourse release`, `grade`, `diagnose` and the other commands."""
