"""Models that answer prompts: endpoints, local engines, and scripted models."""
