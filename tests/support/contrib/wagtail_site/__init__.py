"""A site of Wagtail with two hosts and two languages."""
