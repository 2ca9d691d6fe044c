"""`python -m actor_observer` is `actor-observer`."""

from actor_observer.cli import main

if __name__ == "__main__":
    main()
