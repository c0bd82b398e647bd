"""The commands, each a module or package; none imports another."""
