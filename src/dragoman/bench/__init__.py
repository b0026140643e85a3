"""The benchmark of a machine: synthetic data of a fixed seed, everything measured in one run, nothing memoised."""
