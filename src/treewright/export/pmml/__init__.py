"""A model as PMML 4.4."""
