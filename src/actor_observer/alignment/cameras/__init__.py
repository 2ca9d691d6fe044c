"""Several cameras: pairing folders, one clock for all, cutting and showing them side by side."""
