"""The lab "Fifteen of 279: rare successes and a flaky judge"."""
