"""Tasks that need an option, form or edge rule of one function which its page documents and no training task shows."""
