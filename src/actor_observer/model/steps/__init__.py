"""One training step for each kind of sample: from frames to the scalar that `backward()` is called on."""
