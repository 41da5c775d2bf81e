"""Cost over time: days of the cluster kept for a year and more, and the series of each Application folded from them."""
