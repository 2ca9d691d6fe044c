"""Each measure as a table: rows for methods, chance and rivals, with intervals."""
