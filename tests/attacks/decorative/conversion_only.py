# rule: conversion to an array and back is no use
# task: mean
# kinds: not_from_library
import LIB

def average(a):
    values = LIB.F[array](a).tolist()
    return sum(values) / len(values)
