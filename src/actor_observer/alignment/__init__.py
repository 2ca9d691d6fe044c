"""Put two recordings in step: evidence, the clock that fits it, and a verdict."""
