"""PREPARE: a body that knows what comes next, and readies itself on the way (Shum et al. 2013)."""
