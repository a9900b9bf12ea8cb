"""Models that answer prompts: endpoints, local engines, scripted ones."""
