"""Features and motion kept on disk: the cache, and files of embeddings that are written, read and joined."""
