"""What one HTML page says: links, instructions, dates and content."""
