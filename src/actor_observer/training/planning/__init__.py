"""What a run is to do: its recipe, the data it learns from, and which frames each step asks for."""
