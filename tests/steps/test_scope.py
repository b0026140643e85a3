"""The subject scope: animals that are patients, animals that are not, claims, and turns that go on."""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from dragoman.folder import language
from dragoman.steps.scope import Example, ScopeWords, subject_scope
from dragoman.text.tokens import tokenize
from dragoman.types import Message, Scope, Span, Turn

CODES = ("vi", "en", "nl", "de")
PACKS = tuple(language(code) for code in CODES)
EXAMPLES = [(code, e) for code in CODES for e in language(code).table("scope.toml", ScopeWords).example]

ANIMALS = """
Chó của tôi bị ho, dùng amoxicilin được không?
Con mèo nhà mình bị tiêu chảy uống metronidazol liều bao nhiêu
mèo nhà em bị ve, dùng ivermectin được không
Liều thuốc tẩy giun albendazol cho chó 10kg
Chó con 2 tháng tuổi uống paracetamol được không?
cún nhà mình bị sốt, uống paracetamol được không
Thỏ nhà tôi bị ghẻ, bôi ivermectin thế nào?
Gà bị toi dùng tetracyclin liều bao nhiêu?
bò sữa bị viêm vú dùng penicilin liều nào
heo nái bị sốt sau sinh tiêm oxytocin bao nhiêu
Dùng enrofloxacin cho vịt
tôi nuôi lợn, lợn bị tiêu chảy thì dùng colistin thế nào
Thuốc dùng trong thú y
Trâu nhà tôi bị lở mồm long móng
meo nha toi bi non, cho uong domperidon duoc khong
con cho nha em bi ghe, boi gi
cho nha em bi sot, cho uong paracetamol duoc khong
thuoc thu y tri ghe
lieu ivermectin cho cho con
lieu amoxicilin cho meo 3kg
cho cho uong ibuprofen duoc khong
thuoc cho gia cam
Ngựa bị đau bụng dùng thuốc gì?
Hamster nhà em bị tiêu chảy
Vẹt nhà tôi bị rụng lông dùng vitamin gì
Boss nhà mình 4kg uống thuốc xổ giun nào
thú cưng của tôi ăn phải thuốc diệt chuột
Bé mèo nhà em bị nấm bôi ketoconazol được không
Can I give my cat amoxicillin?
My dog ate 10 tablets of ibuprofen
Is paracetamol toxic to cats?
Amoxicillin dose for a 5 kg dog
ivermectin for horses
my rabbit is not eating, can I give metoclopramide
Our puppy has diarrhea
what can I give my dog for pain
Which antibiotic for a cat with a wound?
side effects of prednisolone in dogs
How much furosemide should a 12 kg dog get?
my cat's thyroid medication
Mijn kat heeft suikerziekte
Mag een hond ibuprofen?
Hoeveel amoxicilline voor een kat van 4 kg?
Mijn konijn eet niet meer
Onze pony is kreupel
Is er een dierenarts in het ziekenhuis?
Kan ik metronidazol aan mijn kat geven?
De hond van mijn buurvrouw is ziek, welk medicijn?
Wat is de dosis prednisolon voor honden?
mijn cavia heeft schurft, mag ivermectine?
paracetamol voor mijn hond
Ik zoek een arts voor mijn zieke papegaai
Mijn hond hinkt, waar kan ik terecht?
Mijn paard heeft koliek
Mèo con 1kg uống mebendazol bao nhiêu
Lợn con theo mẹ bị ho tiêm gì
chó bầu uống albendazol được không
Thỏ con 800g uống thuốc gì
bò nhà em bị viêm vú tiêm gì
Gà mái 2 kg nhỏ thuốc gì
nghé bị viêm rốn tiêm penicilin
meo con 1kg uong pyrantel bao nhieu
con chó cái nhà em mới đẻ bị sốt
Mijn kater heeft een blaasontsteking
Kater van 5 kg, dosis amoxicilline?
hond 12 kg tramadol
Merrie van 500 kg, ivermectine
my puppy 3 kg
Sow 200 kg oxytocin dose
dog weighing 30 lb, cetirizine dose
Mijn kippen hebben schurft
Het varken heeft koorts
Alle schapen hinken
Ik ben dierenarts: welke dosis voor een hond van 10 kg?
"""

PERSONS = """
Tôi bị mèo cào, uống amoxicilin được không?
Con tôi bị dị ứng lông chó, dùng cetirizin được không?
Bị chuột cắn có cần uống kháng sinh không?
Uống metronidazol có ăn thịt chó được không?
Tôi ăn thịt gà xong bị ngứa, uống loratadin được không?
Nhà có nuôi mèo, tôi đang mang thai có sao không?
toi bi cho can uong thuoc gi
toi bi meo cao co can tiem khong
Bé bị ngã ngựa gãy tay
cho chau be uong thuoc gi
cho con uong paracetamol duoc khong
cho con bu uong metronidazol duoc khong
cho toi hoi lieu amoxicilin
cho cha toi uong amlodipin
cho ba bau uong sat
be tho nhanh va sot
ngua ngay uong loratadin
benh ga ga
da noi ga
tre bo bu uong gi
uong thuoc bo mau
Năm Mèo sinh con có tốt không
Tôi tuổi Ngựa bị đau lưng
Dùng sữa bò cho bé được không?
Trẻ dị ứng đạm sữa bò dùng thuốc gì
Bé 8 tháng chưa biết bò có sao không
Cúm gà có lây sang người không?
Bị hóc xương cá, xương gà phải làm sao
I was scratched by my cat, should I take antibiotics?
My son is allergic to dogs, can he take cetirizine?
Can I eat chicken while on metronidazole?
horse riding after surgery
I got ringworm from my cat, which cream?
is it ok to drink goat milk with tetracycline
My calf hurts after running
Do I need a tetanus shot after a dog bite?
Ik ben gekrabd door mijn kat en heb koorts
Mijn dochter is allergisch voor katten
Ik heb mijn enkel gebroken tijdens een wandeling met de hond
Mag ik na de operatie paardrijden?
Mag mijn blindengeleidehond mee naar binnen?
Ik ben zwanger en heb een kat, is dat gevaarlijk?
Ik werd gebeten door een teek
Mijn zoon heeft een kattenallergie
Ik kreeg een trap van een paard
Is een hondenbeet gevaarlijk?
Ik ben bang voor honden, is er een psycholoog?
Mijn kat heeft me gekrabd, moet ik naar de spoed?
Kan ik na een longontsteking weer met mijn hond wandelen?
Na het eten van varkensvlees heb ik diarree
bé Bò 8kg tiêu chảy dùng oresol
Cho bé Gà uống vitamin D được không
con Thỏ nhà em 11kg uống siro mấy ml ạ
cu Heo 12kg ho có đờm
Con em biệt danh là Heo, 10kg
be tho nha minh 12kg bi sot
cho con 10kg uong paracetamol bao nhieu
nổi mề đay do lông mèo uống cetirizin
giun đũa chó uống albendazol mấy ngày
trứng vịt lộn ăn khi uống metformin được không
Ibuprofen tegen een kater
Mijn kater na het feest is erg, wat helpt?
Geitenmelk voor een baby van 6 kg
goat milk for a 5 kg infant
I take long walks with my dog
Ik werk op een boerderij en heb rugpijn
Mijn vrouw is dierenarts en heeft psoriasis
I am a vet and have psoriasis myself
Chồng em là bác sĩ thú y, bị đau lưng uống gì
De kater heeft me geveld na het feest
"""


def lines(text: str) -> list[str]:
    return text.strip().splitlines()


def scope(*texts: str, claim: str | None = None) -> Scope:
    """The scope of the last of ``texts``, the earlier ones being the person's history."""
    history = tuple(Message(role="user", text=t) for t in texts[:-1])
    turn = Turn(texts[-1], history=history, subject_scope=claim)
    return subject_scope(turn, [(m, tokenize(t)) for m, t in turn.user_messages()], PACKS)


@pytest.mark.parametrize(("code", "example"), EXAMPLES, ids=[f"{c}:{e.text}" for c, e in EXAMPLES])
def test_pack_examples(code: str, example: Example) -> None:
    assert (scope(example.text).subject == "veterinary") is example.veterinary


@pytest.mark.parametrize("text", lines(ANIMALS))
def test_the_animal_is_the_patient(text: str) -> None:
    found = scope(text)
    assert found.subject == "veterinary"
    assert found.reason
    assert "scope.toml" in found.reason


@pytest.mark.parametrize("text", lines(PERSONS))
def test_the_animal_is_cause_food_or_company(text: str) -> None:
    assert scope(text) == Scope(subject="human")


@pytest.mark.parametrize(
    ("claim", "text", "subject", "reason"),
    [
        ("human", "Mijn hond hoest", "veterinary", True),
        ("unknown", "Mijn hond hoest", "veterinary", True),
        ("veterinary", "Ik hoest", "veterinary", "claim"),
        ("unknown", "Ik hoest", "unknown", "claim"),
        ("human", "Ik hoest", "human", None),
        (" Veterinary ", "Ik hoest", "veterinary", "claim"),
        ("anything", "Ik hoest", "human", None),
    ],
)
def test_a_claim_narrows_and_never_widens(claim: str, text: str, subject: str, reason: str | bool | None) -> None:
    found = scope(text, claim=claim)
    assert found.subject == subject
    assert found.reason == reason if reason is not True else found.reason


@pytest.mark.parametrize(
    ("texts", "subject"),
    [
        (("my 9 kg dog swallowed raisins an hour ago", "ok, she threw most of it up"), "veterinary"),
        (("Chó nhà tôi bị sốt", "còn ibuprofen thì sao?"), "veterinary"),
        (("Mijn hond braakt", "en ibuprofen?", "hoeveel dan?"), "veterinary"),
        (("Mijn hond braakt", "en voor mijn zoon?"), "human"),
        (("Mijn hond braakt", "en voor mijn zoon?", "hoeveel?"), "human"),
        (("Chó nhà tôi bị sốt", "Liều paracetamol cho người lớn?"), "human"),
        (("cho meo uong duoc khong", "con cho nguoi lon thi sao"), "human"),
        (("my dog ate it", "another question: what is the dose of losartan"), "human"),
        (("dose of losartan?", "and for my dog?"), "veterinary"),
    ],
)
def test_a_turn_that_goes_on_inherits(texts: tuple[str, ...], subject: str) -> None:
    assert scope(*texts).subject == subject


def test_what_the_assistant_says_is_not_read() -> None:
    turn = Turn("hoeveel?", history=(Message(role="assistant", text="Mijn hond hoest"),))
    assert subject_scope(turn, [(m, tokenize(t)) for m, t in turn.user_messages()], PACKS).subject == "human"


@given(st.lists(st.text(max_size=60), min_size=1, max_size=3), st.one_of(st.none(), st.text(max_size=12)))
def test_any_text(texts: list[str], claim: str | None) -> None:
    assert scope(*texts, claim=claim).subject in {"human", "unknown", "veterinary"}


BESIDE = [
    ("ivermectin cho bò", "ivermectin", True),
    ("amoxicilin mèo", "amoxicilin", True),
    ("gà enrofloxacin", "enrofloxacin", True),
    ("ketamine paard", "ketamine", True),
    ("meloxicam kat dosering", "meloxicam", True),
    ("doxycycline dog", "doxycycline", True),
    ("ivermectin sheep", "ivermectin", True),
    ("Meloxicam Katze Dosierung", "Meloxicam", True),
    ("Ivermectin Schaf", "Ivermectin", True),
    ("amoxicillin dog bite", "amoxicillin", False),
    ("amoxicillin cat scratch", "amoxicillin", False),
    ("loratadine cat allergy", "loratadine", False),
    ("amoxicilin chó cắn", "amoxicilin", False),
    ("azithromycin ho gà", "azithromycin", False),
    ("albendazol sán chó", "albendazol", False),
    ("heparin bò", "heparin", False),
    ("cetirizine kat allergie", "cetirizine", False),
    ("amoxicilline kattenkrab", "amoxicilline", False),
    ("warfarin paardenkastanje", "warfarin", False),
    ("ibuprofen calf pain", "ibuprofen", False),
    ("baclofen lam gevoel", "baclofen", False),
    ("Cetirizin Katze Allergie", "Cetirizin", False),
    ("aciclovir chicken pox", "aciclovir", False),
]


@pytest.mark.parametrize(("text", "drug", "veterinary"), BESIDE)
def test_an_animal_right_beside_a_drug_is_who_takes_it(text: str, drug: str, veterinary: bool) -> None:
    span = Span(text.index(drug), text.index(drug) + len(drug))
    scope = subject_scope(Turn(text), [(-1, tokenize(text))], PACKS, {-1: [span]})
    assert (scope.subject == "veterinary") is veterinary


def test_an_animal_alone_is_no_patient() -> None:
    assert subject_scope(Turn("kat"), [(-1, tokenize("kat"))], PACKS, {}).subject == "human"
