"""The lab "Should prompts have servers of their own?"."""
