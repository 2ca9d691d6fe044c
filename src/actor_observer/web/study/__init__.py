"""Studies: people find a moment of one video in the other, as in the paper, and how well they agree is measured."""
