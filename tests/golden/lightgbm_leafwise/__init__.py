"""Outputs of the lightgbm package on small tables, and the script that wrote them."""
