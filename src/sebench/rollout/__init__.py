"""Tasks + model -> responses: prompts, models (endpoint, local, scripted), the runner."""
