"""What the words of a turn show before anyone interprets them: names, roles, measures, the patient, the cues.

All of it is deterministic and comes with the place where it stands. ``steps`` read it, whoever understands the turn.
"""
