"""Joins between pieces of motion: postures, actions between them, frames, gaits."""
