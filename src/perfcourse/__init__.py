"""What instructors run: release exercises, grade submissions, return feedback, build the book."""
