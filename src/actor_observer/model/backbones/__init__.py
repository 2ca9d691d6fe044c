"""Image backbones behind one interface: ours, other libraries', and the checkpoints people publish."""
