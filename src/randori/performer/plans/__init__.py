"""Plans of the actor for each set: one plan per kind of take."""
