"""What is read off a fitted model."""
