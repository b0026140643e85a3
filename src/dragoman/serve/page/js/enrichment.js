// What was appended, by which layer; and the work of every step in microseconds.
import { bar, card, chip, h, microseconds, table, words } from "./dom.js";

export function enrichment(answer) {
  const e = answer.enrichment;
  const tail = e.text.startsWith(e.original) ? e.text.slice(e.original.length) : "";
  const text = h("p", { class: "enriched", lang: answer.turn.language }, tail ? [e.original, h("span", { class: "appended" }, tail)] : e.text);
  const letters = Array.from(answer.turn.text);
  const rows = e.expansions.map((x) => [x.term, chip(x.layer, "concept"), words(x.via), h("span", { lang: answer.turn.language }, letters.slice(...x.span).join("")), x.why ?? ""]);
  const outcomes = e.concept_outcomes.filter((o) => o.outcome !== "expanded");
  const queries = [["condensed", e.queries.condensed], ["standalone", e.queries.standalone]].filter(([, q]) => q);
  return card("Enrichment", text,
    rows.length ? table("Appended terms", [["appended", ""], ["layer", ""], ["over", ""], ["for", ""], ["why", ""]], rows) : h("p", { class: "empty" }, "Nothing is appended."),
    outcomes.length ? h("p", { class: "fine" }, "Left as they are: ", outcomes.map((o) => `${letters.slice(...o.span).join("")} (${words(o.outcome)})`).join(", ")) : null,
    queries.map(([name, q]) => h("p", {}, h("span", { class: "fine" }, `${name}: `), q)),
    e.roster ? h("p", {}, h("span", { class: "fine" }, "list of doctors asked for: "), e.roster.department_ids.join(", ")) : null,
    h("details", {}, h("summary", { class: "fine" }, "Sparse query"), h("ul", {}, e.queries.sparse.map((t) => h("li", {}, `${t.weight} × ${t.term}`)))));
}

/** Every step: outcome, count, time. Steps that hold others (frame) are told by name alone. */
export function work(answer) {
  const rows = answer.trace.filter((row) => row.step !== "provenance" && row.outcome !== "skipped");
  const skipped = answer.trace.filter((row) => row.outcome === "skipped");
  const most = Math.max(...rows.map((row) => row.us), 1);
  const made = rows.map((row) => ({
    cells: [words(row.step), chip(row.outcome, row.outcome === "hit" ? "good" : row.outcome === "error" ? "bad" : ""), String(row.count), microseconds(row.us), bar(row.us / most), row.note ?? ""],
  }));
  const columns = [["step", ""], ["outcome", "wide-only"], ["count", "n wide-only"], ["time", "n"], ["", ""], ["note", "wide-only"]];
  const why = (row) => (row.note ? `${words(row.step)} (${row.note})` : words(row.step));
  return card("What each step did", table("What each step did", columns, made, { class: "compact" }),
    skipped.length ? h("p", { class: "fine" }, `Had nothing to do: ${skipped.map(why).join(", ")}.`) : null);
}
