"""What pages on which boundaries are marked share: a button between any two units, keys, undo, files."""
