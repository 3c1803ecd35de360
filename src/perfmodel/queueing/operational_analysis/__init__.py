"""What a queue's own records say, without assumptions."""
