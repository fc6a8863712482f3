"""Precomputed avatars: tables that tell what to do anywhere, and who follow them in real time."""
