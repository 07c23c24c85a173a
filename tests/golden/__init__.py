"""Results that are fixed: textbook numbers and stored outputs of other programs."""
