"""Statements that hold for every data set, tried on many random ones."""
