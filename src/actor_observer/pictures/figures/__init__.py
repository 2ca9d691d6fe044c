"""The paper's figures, and the parts they are drawn with."""
