"""A site of Django with its sitemaps twice: by Django's own views below /theirs, and by urlset's below /ours."""
