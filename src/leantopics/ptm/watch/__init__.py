"""New documents that share a topic which the fitted model does not have."""
