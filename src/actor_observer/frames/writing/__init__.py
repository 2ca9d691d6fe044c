"""Videos and sound files, written anew: whole or not at all."""
