"""PostgreSQL: the connection, the schema's migrations and roles, and one repository per group of tables."""
