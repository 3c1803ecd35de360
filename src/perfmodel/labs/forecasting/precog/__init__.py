"""The lab "What will it score, before anybody runs it?"."""
