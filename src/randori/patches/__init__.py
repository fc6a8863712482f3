"""Interaction patches: short interactions of two characters, worked out once and joined into large scenes."""
