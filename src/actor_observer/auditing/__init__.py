"""Is a data set in step? What a look at every frame gives, every two recordings of a take, and all takes together."""
