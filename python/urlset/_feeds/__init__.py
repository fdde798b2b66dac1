"""Files beside a published set that list its pages for readers other than search engines: a feed, and an llms.txt."""
