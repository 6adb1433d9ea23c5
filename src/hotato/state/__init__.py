"""State adapters: systems of record, each read by one method."""
