"""The routes, one module per authorization group."""
