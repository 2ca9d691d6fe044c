"""An audit as a page."""
