"""Many turns at once."""
