"""The lab "Is a table in the cache faster than a multiplier?"."""
