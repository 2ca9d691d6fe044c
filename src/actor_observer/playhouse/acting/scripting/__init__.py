"""What is to be played: classes of action, units that can be done somewhere, scripts, and their order."""
