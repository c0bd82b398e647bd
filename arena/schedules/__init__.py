"""Who meets whom: one module for each way of scheduling matches, pure."""
