"""The lab "Which tile sizes should you try?"."""
