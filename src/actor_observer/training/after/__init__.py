"""What is fitted once the embedding stands: the classifier, the names of actions, the chance of being placed."""
