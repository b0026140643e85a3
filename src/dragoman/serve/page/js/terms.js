// Looking terms up: what the vocabularies hold, and what becomes of the term when a person writes it.
import { post } from "./api.js";
import { $, chip, fill, h, plural, trouble, words } from "./dom.js";

let first = true;

export function show(system) {
  if (!first) return;
  first = false;
  const words_ = system.questions.length ? "Try a word of one of the examples." : "";
  fill($("terms-found"), h("p", { class: "empty" }, `Terms, parents, the organisation's pages for them, and what is missing. ${words_}`));
}

export async function find(term) {
  first = false;
  $("term").value = term;
  $("terms-status").textContent = "looking up";
  try {
    const found = await post("v1/lookup", { query: term });
    const groups = [found.drugs.map(drug), found.concepts.map(concept), found.entities.map(entity)].flat();
    fill($("terms-found"), groups.length ? groups : h("p", { class: "empty" }, "Nothing is known of it: no drug, concept or page has this name or id."));
    $("terms-status").textContent = `${plural(groups.length, "thing")} found`;
  } catch (error) {
    fill($("terms-found"), trouble(error));
    $("terms-status").textContent = "";
  }
}

const look = (id, text = id) => h("button", { type: "button", class: "link", onclick: () => find(id) }, text);
const card = (name, kind, id, rows) => h("section", { class: "card found" },
  h("div", { class: "head" }, h("h2", {}, name), chip(kind, kind === "page" ? "entity" : kind), h("span", { class: "id fine" }, id)),
  h("dl", {}, rows.filter(([, v]) => v && (!Array.isArray(v) || v.length)).map(([title, v]) => [h("dt", {}, title), h("dd", {}, v)])));
const list = (items) => (items.length ? h("ul", { class: "list" }, items.map((x) => h("li", {}, x))) : null);
const noted = (text, note, lang) => [h("span", { lang }, text), " ", h("span", { class: "fine" }, note)];

function drug(d) {
  return card(d.name, "drug", d.id, [
    ["names", list(d.aliases.map((a) => noted(a.alias, words(a.kind))))],
    ["mixed up with", d.confusable_with?.length ? d.confusable_with.join(", ") : null],
  ]);
}

function concept(c) {
  const parents = c.relations.is_a ?? [];
  const others = Object.entries(c.relations).filter(([kind]) => kind !== "is_a");
  const outcome = c.outcome ?? (c.entities.length ? null : "no_page");
  return card(c.name, "concept", `${c.source}:${c.id}`, [
    ["type", c.semantic_type ? words(c.semantic_type) : null],
    ["terms", list(c.terms.map((t) => noted(t.term, `${t.language} ${words(t.type)}`, t.language)))],
    ["parents", list(parents.map((p) => look(p.id, p.name)))],
    ...others.map(([kind, targets]) => [words(kind), list(targets.map((p) => look(p.id, p.name)))]),
    ["the same in", c.same.length ? c.same.join(", ") : null],
    ["pages", list(c.entities.map((id) => look(id)))],
    ["when written", outcome ? chip(words(outcome), outcome === "no_page" ? "bad" : outcome === "expanded" ? "good" : "") : null],
    ["appends", list((c.adds ?? []).map((a) => noted(a.term, `${a.layer}, ${words(a.via)}`)))],
    ["gap", outcome === "no_page" ? `no published page is about it${c.nearest?.length ? "; the nearest are" : ""}` : null],
    ["nearest pages", list((c.nearest ?? []).map((n) => [look(n.entity_id ?? n.id, n.name), " ", h("span", { class: "fine" }, words(n.via ?? ""))]))],
  ]);
}

function entity(e) {
  const related = (rows) => list(rows.map((r) => [h("span", { class: "fine" }, `${words(r.relation.toLowerCase())} `), look(r.id)]));
  return card(e.name, "page", e.id, [
    ["type", e.type],
    ["address", e.url ? h("a", { href: e.url, rel: "noreferrer", target: "_blank" }, e.url) : null],
    ["terms", list(e.terms)],
    ["concepts", list(e.concepts.map((id) => look(id)))],
    ["from", related(e.from)],
    ["to", related(e.to)],
  ]);
}

$("terms-form").addEventListener("submit", (event) => { event.preventDefault(); find($("term").value.trim()); });
