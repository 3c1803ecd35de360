"""The lab "What does a learner wait for?"."""
