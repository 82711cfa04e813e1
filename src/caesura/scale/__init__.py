"""Corpora larger than memory: scans of tables on disk, and the engines that read and count them."""
