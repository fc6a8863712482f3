"""The body around a skeleton: round cones for drawing and contact, a skinned mesh for export."""
