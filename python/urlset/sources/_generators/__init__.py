"""Which source file each generator makes a built page of: one module per generator.

`project` has the files and settings of a site, `claims` finds the source of a page among the pages that each source
says it makes, `routes` is for pages that a template makes of many sources, and `known` lists the generators.
"""
