"""Models as programs in other languages."""
