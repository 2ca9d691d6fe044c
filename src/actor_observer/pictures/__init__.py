"""The paper's figures from any run, and the report that holds them."""
