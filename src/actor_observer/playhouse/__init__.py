"""A small theatre: actors perform household scripts in rendered homes, before a room camera and a head camera."""
