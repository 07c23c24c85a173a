"""Brute-force oracles: the library's trees against plain, obviously correct computations."""
