"""The book to take along: a PDF, and the pages in one archive."""
