"""The student's side of the wall: the only part of the grader that the sandbox can read.

Nothing here knows a question, an expected value or a student other than the one being run.
"""
