"""Where games are played: in this process, or in worker processes. Executors know neither games nor players."""
