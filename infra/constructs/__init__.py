"""One construct per concern of the stack."""
