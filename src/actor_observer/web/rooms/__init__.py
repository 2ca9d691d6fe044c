"""The parts of the page's API, one file for each room."""
