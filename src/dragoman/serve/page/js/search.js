// The organisation's pages, found by the person's words alone and by the enriched query, side by side.
import { post } from "./api.js";
import { card, chip, h, plural, trouble } from "./dom.js";

export async function searched(answer) {
  let found;
  try {
    found = await post("page/search", { text: answer.turn.text, terms: answer.enrichment.queries.sparse });
  } catch (error) {
    return card("Search", trouble(error));
  }
  if (!found.available) {
    return card("Search", h("p", { class: "empty" }, "The project has no pages to search: put a pages.jsonl beside its file, or name one as pages in [serve]."));
  }
  const before = found.plain.map((hit) => hit.id);
  const fresh = found.enriched.filter((hit) => !before.includes(hit.id)).length;
  const said = !found.enriched.length ? "Neither finds a page."
    : fresh ? `Enrichment brings ${plural(fresh, "page")} among the first ten that the words alone did not.`
      : before[0] !== found.enriched[0]?.id ? "The same pages, in another order." : "Enrichment changes nothing at the top.";
  const moved = (hit, i) => {
    const was = before.indexOf(hit.id);
    if (was < 0) return chip("new", "good");
    return was === i ? null : chip(was > i ? `▲ from ${was + 1}` : `▼ from ${was + 1}`);
  };
  return card("Search", h("p", {}, `${said} `, h("span", { class: "fine" }, `Full-text search over ${plural(found.pages, "page")}.`)),
    h("div", { class: "pair hit-lists" },
      h("div", {}, h("h3", {}, "The words alone"), list(found.plain, () => null)),
      h("div", {}, h("h3", {}, "With enrichment"), list(found.enriched, moved))));
}

const SHOWN = 5;

function list(hits, moved) {
  if (!hits.length) return h("p", { class: "empty" }, "no page");
  const rows = hits.map((hit, i) => {
    const note = moved(hit, i);
    return h("li", { class: note?.textContent === "new" ? "new" : null }, h("span", { class: "rank" }, String(i + 1)),
      hit.url ? h("a", { class: "title", href: hit.url, rel: "noreferrer", target: "_blank" }, hit.title) : h("span", { class: "title" }, hit.title),
      note ? h("span", { class: "moved" }, note) : null, h("p", {}, hit.snippet));
  });
  const ranked = (some) => h("ol", { class: "hits" }, some);
  const rest = rows.slice(SHOWN);
  return [ranked(rows.slice(0, SHOWN)), rest.length ? h("details", {}, h("summary", { class: "fine" }, `and ${rest.length} more`), ranked(rest)) : null];
}
