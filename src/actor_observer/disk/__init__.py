"""Files that are written whole or not at all, and whose damage is noticed when they are read."""

from actor_observer.disk.whole import only_writer, write_whole, writing_whole

__all__ = ["only_writer", "write_whole", "writing_whole"]
