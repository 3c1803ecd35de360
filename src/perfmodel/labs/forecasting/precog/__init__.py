"""The lab "What will it score, before you run it?"."""
