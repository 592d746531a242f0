"""Solves of mechanics inside kernels: rates, reactions and impacts from M, f and rows of constraints, in numbers."""
