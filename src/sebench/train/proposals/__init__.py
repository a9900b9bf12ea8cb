"""Questions that a model writes itself: proposing them, running the gates, and selecting which to keep."""
