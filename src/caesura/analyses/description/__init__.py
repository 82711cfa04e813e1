"""What a coded corpus looks like in numbers, sentences and tables."""
