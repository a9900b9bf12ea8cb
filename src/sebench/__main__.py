"""`python -m sebench` is `sebench`."""

from sebench.cli import main

main()
