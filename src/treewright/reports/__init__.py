"""How reports are laid out: one page, written as text, LaTeX or HTML."""
