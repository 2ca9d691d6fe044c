"""Tables of numbers over time: joints of a robot, an IMU, motion capture, the telemetry inside a video file."""

from actor_observer.signals.read import is_signal, read_signal
from actor_observer.signals.signal import Group, Signal, make_signal

__all__ = ["Group", "Signal", "is_signal", "make_signal", "read_signal"]
