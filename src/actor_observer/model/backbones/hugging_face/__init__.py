"""Networks of `transformers`: opened by their config.json alone, shown frames as their authors do."""
