"""Audits a forged library."""
