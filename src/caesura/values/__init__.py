"""The values: segmentations, hierarchies and corpora of them; every raw form ends in one of these."""
