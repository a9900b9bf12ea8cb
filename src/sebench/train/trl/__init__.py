"""Training with TRL on several GPUs; experimental."""
