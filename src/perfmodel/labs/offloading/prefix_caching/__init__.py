"""The lab "How much memory for reused prompts?": a cache of the blocks of prompts.

`traces` reads the requests, `replay` plays a cache of blocks through them, `prefill` says what a
hit saves and what fetching it takes, `routers` spreads requests over nodes with their own caches.
"""
