"""Shared basics: records, errors, settings, files, resuming, retries, child processes and memory. Imports no other part
of sebench."""
