"""Users' own characters: their skeleton, skin and flesh, and motions brought onto them."""
