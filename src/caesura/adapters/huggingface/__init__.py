"""What Hugging Face's evaluate loads from this folder, by the name that its results and cache show."""
