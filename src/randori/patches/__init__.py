"""Interaction patches: what two people do with each other, worked out once and joined into large scenes."""
