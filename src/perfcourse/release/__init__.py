"""What students are given: assignments, and their editions for other graders."""
