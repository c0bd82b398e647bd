"""Executors play games in this process or in worker processes. They know nothing about games or players."""
