"""The metrics inside other libraries: scikit-learn, Hugging Face evaluate, torchmetrics; one module each."""
