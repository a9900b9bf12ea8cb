# rule: conversion to an array and back is no use
# family: decorative
# task: mean
import LIB

def average(a):
    values = LIB.F[array](a).tolist()
    return sum(values) / len(values)
