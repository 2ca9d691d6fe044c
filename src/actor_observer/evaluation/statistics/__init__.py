"""What a figure is worth: chance levels and intervals over videos."""
