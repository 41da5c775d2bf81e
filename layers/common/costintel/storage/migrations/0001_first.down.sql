DROP TABLE cost_actuals;
DROP TABLE collection_namespaces;
DROP TABLE collections;
DROP TABLE work;
DROP TABLE leases;
DROP DOMAIN finite_numeric;
