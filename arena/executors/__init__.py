"""Where games are played: one module for each way of spreading tickets over workers."""
