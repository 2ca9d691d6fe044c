"""Work for many people: a queue of pairs, what each has done, what they agree on, and what the owner accepts."""
