"""Characters of one's own: their skeleton, skin and flesh, and motions brought onto them."""
