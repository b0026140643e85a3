"""``python -m dragoman``: the command line."""

import sys

from dragoman.cli import main

sys.exit(main())
