"""Generator of the English-German grammar corpus; see data/README.md."""
