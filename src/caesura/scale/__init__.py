"""More than memory holds: scans of tables on disk, and who reads and counts them."""
