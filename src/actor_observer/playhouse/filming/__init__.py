"""The scene, the two cameras, and the files they record."""
