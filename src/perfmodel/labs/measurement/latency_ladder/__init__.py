"""The lab "The latency ladder: what does a load cost?"."""
