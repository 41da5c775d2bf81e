"""Measurements of the project on the machine at hand, as ratios within one run where that is possible."""
