"""An allergy to what nobody's list has is seen all the same: with the person's words, and no id."""

from __future__ import annotations

import pytest
from tests.steps.readings import FORMULARY, frame


@pytest.mark.parametrize(
    ("text", "allergies"),
    [
        ("Tôi dị ứng zamboxin, uống [paracetamol] được không?", ["zamboxin"]),
        ("Tôi dị ứng với hải sản, uống [paracetamol] được không?", ["hải sản"]),
        ("Con tôi dị ứng thuốc zamboxin có uống [paracetamol] được không", ["zamboxin"]),
        ("Ik ben allergisch voor zamboxine, mag ik [paracetamol]?", ["zamboxine"]),
        ("Ik ben allergisch voor noten en gebruik [paracetamol]", ["noten"]),
        ("Allergie: zamboxine. Mag ik [paracetamol]?", ["zamboxine"]),
        ("I'm allergic to zamboxin, can I take [paracetamol]?", ["zamboxin"]),
        ("I am allergic to bee stings. Can I take [paracetamol]?", ["bee stings"]),
        ("I'm allergic to [amoxicillin], can I take [paracetamol]?", ["amoxicillin"]),
        ("Ik ben niet allergisch voor zamboxine, mag ik [paracetamol]?", []),
        ("Tôi không dị ứng zamboxin, uống [paracetamol] được không?", []),
        ("Mijn moeder is allergisch voor zamboxine, mag ik [paracetamol]?", []),
        ("Em bị {dị ứng mũi}, uống [paracetamol] được không?", []),
        ("Wat helpt tegen een allergie?", []),
        ("Tôi bị dị ứng, uống gì?", []),
        ("Is [paracetamol] goed voor mijn allergie?", []),
    ],
)
def test_what_is_said(text: str, allergies: list[str]) -> None:
    assert [a.text for a in frame(text, where=FORMULARY).patient_context.allergies] == allergies
