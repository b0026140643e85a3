"""Who answers, the rules or the heads: a table of four cases.

==========================  ==========================================================================================
the rules                   what counts
==========================  ==========================================================================================
a post-condition            the rule: every frame obeys it, a model's too
or a firm default
a cue or default            the rule, unless a head is surer of another turn type than ``overrule``, or all but excludes
                            the rule's own (``kept``)
a guess                     the head where it is surer than ``threshold``, or than ``agreed`` where it says the same;
                            the rule where it is granted ``fallback``
nothing                     the head where it is surer than ``threshold``
==========================  ==========================================================================================

For smalltalk and what is out of scope a head must be surer than ``dismiss``, the turn must name nothing that the
vocabularies hold, in words enough to be no misspelt name, and the profile must allow it (``heads_may_turn_away``):
where any complaint is in scope nobody is turned away because theirs resembles other turns that are.

Where neither counts the turn is *not understood*. Pure; the training script measures this very table.
"""

from __future__ import annotations

from dragoman.evidence.gather import Evidence
from dragoman.evidence.settle import Settled
from dragoman.offline.heads import NEVER, HeadCard, Told

SENTENCE = 3  # words from which a text that names nothing is taken for something else, and for no misspelt name


def decide(evidence: Evidence, rules: Settled, told: Told, card: HeadCard) -> Settled:
    """What is settled of the turn by ``rules`` and by what the heads have ``told`` together."""
    if stands(rules):
        return rules
    strong = rules.turn_type is not None and not _guessed(rules)
    same = told.turn_type == rules.turn_type
    needed = card.overrule if strong else card.agreed if same else card.threshold
    if told.turn_type in evidence.profile.alone and not same:
        may = evidence.profile.heads_may_turn_away and rules.turn_type is None and _may_be_foreign(evidence)
        needed = card.dismiss if may else NEVER
    if told.turn_type in evidence.profile.turn_types and told.sure >= needed:
        other = told.detail != rules.attribute and told.detail_sure >= card.overrule
        if not (strong and same) or (rules.attribute is not None and other):
            return _by_heads(evidence, rules, told, card)
        return rules
    granted = told.types.get(rules.turn_type, 0.0) if rules.turn_type else 0.0
    if rules.turn_type is not None and granted >= (card.kept if strong else card.fallback):
        return rules
    return Settled(None, rules.attribute, None, rules.facts, None)


def stands(rules: Settled) -> bool:
    """Whether what ``rules`` have settled stands, whatever the heads would tell."""
    return rules.strength == "firm" or (rules.cue is not None and rules.cue.post)


def _guessed(rules: Settled) -> bool:
    """Whether the rules only guessed. A follow-up without a subject shows that it goes on: what it leaves open is the
    turn before's."""
    return rules.strength == "guess" and rules.attribute is None and "no_subject" not in rules.facts


def _may_be_foreign(evidence: Evidence) -> bool:
    """Whether the turn names nothing that is known (a drug, a condition, a department ...), and is no lone word or two
    that might be a name, misspelt."""
    named = evidence.drugs or evidence.classes or evidence.conditions or evidence.entities
    return not named and len(evidence.tokens.keys) >= SENTENCE


def _by_heads(evidence: Evidence, rules: Settled, told: Told, card: HeadCard) -> Settled:
    """The turn type of the heads; of attribute and relation theirs where they are sure, else the rules'."""
    table = evidence.profile
    attribute, relation = None, None
    if told.detail in table.attributes:
        attribute = told.detail if told.detail_sure >= card.detail else rules.attribute
    elif told.turn_type in table.condition_types:
        relation = told.detail or None
    elif told.turn_type not in table.alone:
        attribute = rules.attribute
    facts = frozenset(f for f in rules.facts if f != "attribute" and not f.startswith("attribute:"))
    if attribute:
        facts |= {"attribute", f"attribute:{attribute}"}
    return Settled(told.turn_type, attribute, relation, facts, rules.cue if told.turn_type == rules.turn_type else None)
