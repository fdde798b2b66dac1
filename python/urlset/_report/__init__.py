"""What was found, as a page to look at.

`from_run` and `from_lint` make a `View` of what a verb found, `figures` and `charts` draw it, and `page` writes it as
HTML.
"""
