"""All takes at once: where each lies among the others."""
