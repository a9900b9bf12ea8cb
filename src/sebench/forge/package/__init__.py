"""The forged package."""
