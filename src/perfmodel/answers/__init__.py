"""Judge an answer, name the mistake: closeness, words, slips that anybody makes, known mistakes."""
