"""How pieces of motion join: postures, actions between them, frames, gaits."""
