"""`costintel`, the operator's command."""
