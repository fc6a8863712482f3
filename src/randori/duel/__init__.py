"""Decisions in a fight or a chase: a game tree in continuous time (DUEL, DIRECTOR)."""
