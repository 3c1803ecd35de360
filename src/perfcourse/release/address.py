"""Where the course is published, as `perfmodel.publication` reads it from `_config.yml`."""

from perfmodel.publication import Address as Address, book as book, read as read
