"""The lab "Twenty examples of a new task: calibrate, retrain, or adapt?"."""
