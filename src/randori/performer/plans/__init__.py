"""What the actor does in each set: one plan per kind of take."""
