"""Options: each is declared once, as a parameter or a field, and everything else about it follows from that."""
