"""The checker in the browser: its module in Node, and its page."""
