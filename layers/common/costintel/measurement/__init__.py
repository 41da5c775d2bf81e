"""What syncs cost: from a message to a record, and what the record says."""
