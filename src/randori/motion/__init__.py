"""Skeletons, clips, body parts, and what can be done to motion."""
