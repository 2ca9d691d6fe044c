"""Heavy work, done in processes of its own so that the page stays quick: pictures, conversions, what a model sees."""
