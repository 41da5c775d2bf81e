"""Hours of the cluster: asked once, kept with their state, folded over windows."""
