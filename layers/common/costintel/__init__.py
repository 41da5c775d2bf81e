"""Cost of Argo CD applications: the code shared by every function."""
