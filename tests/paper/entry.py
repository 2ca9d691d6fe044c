"""The command, as a file that torchrun can start."""

from actor_observer.cli import main

if __name__ == "__main__":
    main()
