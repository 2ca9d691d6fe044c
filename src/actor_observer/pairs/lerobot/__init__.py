"""LeRobot data sets, versions 2.0, 2.1 and 3.0: where things are, episodes, signals, and copies with moved windows."""
