"""Bodies that push, give way and are struck: the last refinement of a take."""
