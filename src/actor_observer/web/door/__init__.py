"""The door: who may do what, from where, how often, and how much a call may send."""
