"""What every estimator shares: rows, parameters, settings, progress, members, the fitted side."""
