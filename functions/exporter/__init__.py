"""Lists what lives in the cluster and looks at OpenCost, every five minutes."""
