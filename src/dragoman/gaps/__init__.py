"""What people ask for and the organisation does not have: counted a day, for its editors, without their words.

``observe`` says what one turn lacks, ``Recorder`` counts it without ever failing a turn, ``report`` reads the counts
beside the index as it is now.
"""

from dragoman.gaps.counts import recorder
from dragoman.gaps.observe import Missing, observe
from dragoman.gaps.queued import QueuedRecorder
from dragoman.gaps.recorder import Recorder

__all__ = ["Missing", "QueuedRecorder", "Recorder", "observe", "recorder"]
