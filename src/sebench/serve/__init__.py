"""The judge over HTTP: `sebench serve-judge`, and `JudgeClient`, which asks it."""
