"""The paper's figures, and those of an alignment."""
