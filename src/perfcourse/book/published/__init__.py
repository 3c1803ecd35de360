"""What pages offer once the course has an address: links, buttons, copies to take, a picture."""
