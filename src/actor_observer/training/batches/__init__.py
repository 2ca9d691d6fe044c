"""What a step is fed: samples, their material, and the readers that keep up."""
