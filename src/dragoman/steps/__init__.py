"""The steps of the pipeline: each a pure function from a typed value to a typed value."""
