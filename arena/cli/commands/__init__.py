"""The commands, a module or package each; none knows another."""
