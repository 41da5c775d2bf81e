"""What a local run shows when nothing real is configured, and the page that shows it."""
