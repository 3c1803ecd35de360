"""The lab "How far will this net get?"."""
