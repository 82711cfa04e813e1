"""The page on which contested places are decided one after another, and from which gold comes back."""
