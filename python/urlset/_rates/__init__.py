"""How often pages change, by what was seen of them: looks at pages and at sitemaps, and what lastmods are worth."""
