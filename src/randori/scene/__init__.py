"""Scenes, sessions, takes and their export."""
