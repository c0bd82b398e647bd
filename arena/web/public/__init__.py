"""The public pages: which there are, their tables to download, and writing them as a folder."""
