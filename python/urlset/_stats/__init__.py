"""Statistics: what a set holds, at a glance."""
