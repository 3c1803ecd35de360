"""The lab "One server, nine tools: which number do you quote?"."""
