"""For the tests of those who use dragoman: a fake model provider over real HTTP, and the faults it can show."""

from dragoman.testing.faults import FAULTS, Fault, Step
from dragoman.testing.provider import FakeProvider, Seen

__all__ = ["FAULTS", "FakeProvider", "Fault", "Seen", "Step"]
