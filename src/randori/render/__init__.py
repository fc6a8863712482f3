"""Pictures: a ray-caster for people made of round cones, cameras, contact sheets, video."""
