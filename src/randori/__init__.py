"""Randori: scenes of interacting characters from motion captured one person at a time."""

__version__ = "0.1.0"
