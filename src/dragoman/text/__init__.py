"""Text as people type it: folding that keeps offsets, tokens, spans."""
