"""Whoever reads a turn: providers over the network, or a model file on this machine."""
