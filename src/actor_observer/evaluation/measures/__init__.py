"""The measures behind the tables: each is computed from embeddings and labels, and knows no table."""
