"""Pages on which people place boundaries: a coder's page of texts, from which one file comes back."""
