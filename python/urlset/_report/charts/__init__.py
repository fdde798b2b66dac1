"""Charts as SVG in HTML: each module turns numbers into one kind of picture and knows nothing of sitemaps.

Colors are classes of the style sheet, never attributes, so that they follow light, dark and print. What a picture shows
can also be read: bars are tables, and every other picture has a table of its numbers.
"""
