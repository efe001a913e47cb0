"""An independent check of the grammar corpus: its own tables and rules, nothing of the generator."""
