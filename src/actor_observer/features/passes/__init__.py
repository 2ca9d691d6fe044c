"""A pass of a backbone: which clips it is shown, and its kernels replayed as one graph."""
