"""Golden questions: load, run, compare, report."""
