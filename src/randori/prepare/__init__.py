"""PREPARE: a body that knows its next action and prepares for it on the way (Shum et al. 2013)."""
