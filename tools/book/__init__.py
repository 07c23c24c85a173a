"""The book: the site that `make docs` builds from pages, docstrings and pictures."""
