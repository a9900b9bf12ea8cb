"""Turns tasks and a model into responses: prompts, models (endpoint, local, scripted), and the runner."""
