"""The lab "Scores of servers: which rows may the learner see?"."""
