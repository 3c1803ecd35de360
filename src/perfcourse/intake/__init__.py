"""Submissions as they come in: read, told apart, locked while graded, and kept in a journal."""
