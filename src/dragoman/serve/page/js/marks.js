// The question read back: each span that something was found in is underlined by kind, and says why on hover and focus.
import { h, words } from "./dom.js";

const KINDS = { drug: "Drug of the catalogue", concept: "Concept of a terminology", entity: "Page or entity of the organisation" };
const STATUS = {
  exact: "exactly its name", variant: "its name by a spelling rule", fuzzy: "only near: a question, never an answer",
  ambiguous: "several meanings", unknown: "not in the catalogue", class: "a class of drugs", suppressed: "left alone",
};
let counter = 0;

/** Spans of the turn, without overlaps, each with its mention, candidates, appended terms and outcome. */
export function spans(answer) {
  const found = new Map();
  const at = (span) => {
    const name = span.join("-");
    if (!found.has(name)) found.set(name, { span, mention: null, candidates: [], expansions: [], outcomes: [] });
    return found.get(name);
  };
  for (const m of answer.mentions) if (m.message === -1) at(m.span).mention = m;
  for (const c of answer.candidates) if (c.message === -1) at(c.span).candidates.push(c);
  const all = [...found.values()].sort((a, b) => a.span[0] - b.span[0] || b.span[1] - a.span[1]);
  const kept = [];
  for (const one of all) if (!kept.length || one.span[0] >= kept.at(-1).span[1]) kept.push(one);
  for (const one of kept) {
    const same = (x) => x.span[0] < one.span[1] && one.span[0] < x.span[1];
    one.expansions = answer.enrichment.expansions.filter(same);
    one.outcomes = answer.enrichment.concept_outcomes.filter(same);
  }
  return kept;
}

function look(one) {
  const status = one.mention?.status ?? one.candidates[0]?.match ?? "exact";
  const kind = one.candidates[0]?.kind ?? one.mention?.kind ?? "concept";
  return { status, kind };
}

function why(one, status, kind) {
  const lines = [];
  const drugless = status === "unknown" ? "A name that the catalogue lacks" : status === "class" ? "A class of drugs" : null;
  lines.push(h("p", {}, h("strong", {}, drugless ?? KINDS[kind]), ` · ${STATUS[status] ?? status}`));
  if (one.mention?.reason) lines.push(h("p", {}, `Why: ${one.mention.reason}`));
  for (const c of one.candidates.slice(0, 6)) {
    const reason = c.why && c.why !== one.mention?.reason ? `, ${c.why}` : "";
    lines.push(h("p", {}, c.name, " ", h("span", { class: "id" }, `${c.source}:${c.id}`), ` ${c.match}${reason}`));
  }
  if (one.candidates.length > 6) lines.push(h("p", {}, `and ${one.candidates.length - 6} more`));
  if (one.mention?.confusable_with.length) lines.push(h("p", {}, `Mixed up with: ${one.mention.confusable_with.join(", ")}`));
  for (const e of one.expansions) lines.push(h("p", {}, "Appended: ", h("strong", {}, e.term), ` (${e.layer}, ${words(e.via)})`));
  for (const o of [...new Set(one.outcomes.map((x) => x.outcome))]) lines.push(h("p", {}, `Outcome: ${words(o)}`));
  return lines;
}

function place(mark) {
  const tip = mark.querySelector(".tip");
  tip.style.left = "0px";
  const box = tip.getBoundingClientRect();
  const over = box.right - (document.documentElement.clientWidth - 8);
  if (over > 0) tip.style.left = `${-over}px`;
  if (box.left - Math.max(over, 0) < 8) tip.style.left = `${8 - box.left}px`;
}

function close() {
  for (const open of document.querySelectorAll(".mark.open")) open.classList.remove("open");
}

function open(mark) {
  close();
  mark.classList.add("open");
  place(mark);
}

document.addEventListener("keydown", (event) => { if (event.key === "Escape") close(); });

/** The text with its marks. */
export function reading(answer) {
  const letters = Array.from(answer.turn.text);  // spans count code points
  const text = (from, to) => letters.slice(from, to).join("");
  const parts = [];
  let end = 0;
  for (const one of spans(answer)) {
    const [from, to] = one.span;
    const { status, kind } = look(one);
    const id = `why-${counter += 1}`;
    const tip = h("span", { class: "tip", role: "tooltip", id, lang: "en" }, why(one, status, kind));
    const mark = h("span", { class: `mark ${kind} ${status}` },
      h("button", { type: "button", "aria-describedby": id, onfocus: () => open(mark), onblur: close, onclick: () => open(mark) }, text(from, to)), tip);
    mark.addEventListener("mouseenter", () => open(mark));
    mark.addEventListener("mouseleave", () => { if (!mark.contains(document.activeElement)) close(); });
    parts.push(text(end, from), mark);
    end = to;
  }
  parts.push(text(end, letters.length));
  return h("p", { class: "reading", lang: answer.turn.language }, parts);
}

/** What the underlines mean; only those that are there. */
export function legend(answer) {
  const there = spans(answer).map(look);
  const rows = [
    ["drug", "drug", (x) => x.kind === "drug" && ["exact", "variant"].includes(x.status)],
    ["concept", "concept", (x) => x.kind === "concept" && ["exact", "variant"].includes(x.status)],
    ["entity", "page", (x) => x.kind === "entity"],
    ["fuzzy", "near or ambiguous", (x) => ["fuzzy", "ambiguous"].includes(x.status)],
    ["unknown", "not in the catalogue", (x) => x.status === "unknown"],
    ["suppressed", "class, or left alone", (x) => ["class", "suppressed"].includes(x.status)],
  ].filter(([, , is]) => there.some(is));
  if (!rows.length) return h("p", { class: "fine" }, "No name of a drug, a condition or a page was found in it.");
  return h("ul", { class: "legend", "aria-label": "What the underlines mean" },
    rows.map(([cls, name]) => h("li", {}, h("span", { class: `mark ${cls}` }, h("span", {}, name)))));
}
