"""Requests and answers: hosts and paths of our own, threads for pages, connections, cookies, security."""
