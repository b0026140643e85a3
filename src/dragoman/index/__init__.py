"""The compiled index: built once, read-only, memory-mapped, shared between processes."""
