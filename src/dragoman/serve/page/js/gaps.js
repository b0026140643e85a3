// What people ask for and the organisation lacks.
import { get } from "./api.js";
import { $, card, chip, fill, h, plural, table, trouble, words } from "./dom.js";

export async function show() {
  fill($("gaps"), h("p", { class: "empty" }, "looking …"));
  try {
    render(await get("page/gaps?limit=100"));
  } catch (error) {
    fill($("gaps"), trouble(error));
  }
}

const look = (id, name) => h("button", { type: "button", class: "link", onclick: () => document.dispatchEvent(new CustomEvent("dragoman:lookup", { detail: id })) }, name);

function part(title, lead, columns, rows, total) {
  const more = total > rows.length ? ` (the first ${rows.length} of ${total})` : "";
  return card(`${title}${more}`, h("p", { class: "fine" }, lead), rows.length ? table(title, columns, rows) : h("p", { class: "empty" }, "none"));
}

function render({ counted, gaps: g }) {
  const near = (n) => h("li", {}, look(n.entity_id ?? n.id, n.name), " ", h("span", { class: "fine" }, words(n.via)));
  const held = g.withheld.names ? ` ${plural(g.withheld.names, "further name was", "further names were")} asked for by fewer than ${g.withheld.keep_after} people and ${g.withheld.names === 1 ? "is" : "are"} not kept.` : "";
  fill($("gaps"),
    counted ? null : h("p", { class: "note" }, "This project does not count what people ask for in vain. A ", h("code", {}, "[gaps]"), " table in its project file turns it on; it keeps counts and known terms, never the words of a question."),
    part("Asked for, and no page", "Concepts that people named and no published page is about.",
      [["term", ""], ["type", ""], ["asked", "n"], ["last", ""], ["nearest pages", ""]],
      g.no_page.map((x) => [look(`${x.source}:${x.concept_id}`, x.name), words(x.semantic_type ?? ""), String(x.count), x.last, x.nearest.length ? h("ul", { class: "list" }, x.nearest.map(near)) : ""]), g.totals.no_page),
    part("Asked for, and not in the catalogue", `Names of drugs that the catalogue lacks.${held}`,
      [["name", ""], ["asked", "n"], ["last", ""], ["", ""]],
      g.unknown_drugs.map((x) => [x.name, String(x.count), x.last, x.listed ? "" : chip("on no list")]), g.totals.unknown_drugs),
    part("Ambiguous, and nothing decided", "Terms with several meanings, between which the question did not choose.",
      [["term", ""], ["may mean", ""], ["asked", "n"], ["last", ""]],
      g.ambiguous.map((x) => [x.term, h("ul", { class: "list" }, x.senses.map((s) => h("li", {}, look(s.concept_id, s.name)))), String(x.count), x.last]), g.totals.ambiguous),
    part("Published, and no term leads there", "Pages that only their own words reach.",
      [["page", ""], ["type", ""], ["id", ""]],
      g.unreached.map((x) => [look(x.entity_id, x.name), x.type, h("span", { class: "id" }, x.entity_id)]), g.totals.unreached));
}
