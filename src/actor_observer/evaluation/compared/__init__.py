"""What is compared in the tables: methods, simple rivals, and the rival that does not look."""
