"""Reports of a grading run: pages for students and the class, tables that schools load."""
