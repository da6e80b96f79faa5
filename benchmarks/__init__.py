"""Speed and memory of leantopics, and of its peers on the same matrices."""
