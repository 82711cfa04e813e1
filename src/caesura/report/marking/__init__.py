"""What pages on which boundaries are marked share: units with a button between any two, keys, undo, autosave, files."""
