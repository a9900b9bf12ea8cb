"""Reads a response: extracts its code, applies the policy, and decides whether the program is stateless."""
