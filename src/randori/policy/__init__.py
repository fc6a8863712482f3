"""Precomputed policies: tables with the best action in every situation, and avatars that follow them live."""
