"""Labs: what one system or idea alone needs, a folder each. No topic imports from here."""
