"""Questions that a model writes itself: proposing, gates, and which ones to keep."""
