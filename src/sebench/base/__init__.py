"""Shared basics: records, errors, settings, files, resuming, retries, child processes, memory. Imports no other
part."""
