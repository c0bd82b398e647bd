"""The site: pages of a store, served live or written as a folder; submissions, games and organising in the browser."""
