"""What every topic model shares: the contract, saving and loading."""

from leantopics.models.registry import load_model

__all__ = ["load_model"]
