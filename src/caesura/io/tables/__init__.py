"""Tables: cells of files, what columns are, and what marks or labels in them mean."""
