"""Which pages a crawler asks for, and how often, so that its copies are as fresh as its budget allows."""
