"""All metrics: one file per family; registry.py lists them."""
