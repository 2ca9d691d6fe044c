"""What two recordings hear: reading sound, and putting it in step."""
