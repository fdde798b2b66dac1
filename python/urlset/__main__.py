"""`python -m urlset` is the `urlset` command."""

from urlset._cli import main

main()
