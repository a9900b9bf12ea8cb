"""What every part of sebench may use: going on after an interruption, trying again, child processes, memory. Imports no other part."""
