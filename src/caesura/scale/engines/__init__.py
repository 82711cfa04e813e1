"""Who runs a function over pieces: each engine is a ``map`` that keeps the order and holds few at a time."""
