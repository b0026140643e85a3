# %% [markdown]
# # A first look
#
# dragoman reads one turn of a conversation. It says what is asked (a *frame*), ties every drug and condition to what
# the catalogue really holds, and appends the corpus's own words to the query. The demos are made up; nothing here is
# medical information.

# %%
from dragoman import Dragoman, Turn

hospital = Dragoman.demo("hospital")
answer = hospital.ask("Ik heb last van hypothyreoïdie")
print(answer.frame.turn_type, [candidate.name for candidate in answer.candidates])
print(answer.enrichment.text)

# %% [markdown]
# Every term that was appended says which layer added it, and over which link.

# %%
for expansion in answer.enrichment.expansions:
    print(f"{expansion.term}: layer {expansion.layer}, via {expansion.via}, entity {expansion.entity_id}")

# %% [markdown]
# For a full-text search the terms travel apart, with weights; for a dense one as text.

# %%
for term in answer.enrichment.queries.sparse:
    print(f"{term.weight:.1f}  {term.term}")

# %% [markdown]
# A formulary: the match is a *kind*, not a score. Equal under a spelling rule is a drug; merely near is a question.

# %%
formulary = Dragoman.demo("formulary")
for text in (
    "amoxicillin 500 cho bé 12 kg",
    "Aspirinol có tác dụng phụ gì?",
    "Chó nhà tôi uống paracetamol được không?",
):
    read = formulary.ask(Turn(text, language="vi"))
    frame = read.frame
    print(text)
    print(f"  drugs {list(frame.drugs)}, unknown {list(frame.unknown_drugs)}, asks back: {frame.clarify_reason}")
    print(f"  subject: {read.scope.subject}")

# %% [markdown]
# What each step did, without a word of the person's:

# %%
for row in answer.trace[:6]:
    print(row.step, row.outcome, row.count)
