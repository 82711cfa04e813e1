"""What every analysis returns: the base of results, and tables in every format."""
