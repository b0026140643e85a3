// Runs of the golden questions: the last ones, one in detail, two compared.
import { get, post } from "./api.js";
import { $, bar, card, chip, fill, h, percent, plural, table, trouble } from "./dom.js";

let shown = null;

export async function show() {
  await refresh();
}

async function refresh(open = null) {
  try {
    const all = await get("page/golden");
    shown = shown ?? open ?? (all.runs.find((r) => !r.fault) ? await get(`page/golden/${encodeURIComponent(all.runs.find((r) => !r.fault).name)}`) : null);
    if (open) shown = open;
    render(all);
  } catch (error) {
    fill($("golden"), trouble(error));
  }
}

const when = (at) => at.replace("T", " ").replace(/\+00:00$/, "").slice(0, 19);

function render(all) {
  const several = all.runs.length > 1;
  const radio = (name, run, on) => h("input", { type: "radio", name, value: run.name, "aria-label": `${name === "before" ? "earlier" : "later"}: ${when(run.at)}`, checked: on, disabled: !!run.fault });
  const rows = all.runs.map((run, i) => ({
    cells: [run.fault ? `${run.name}.json ${run.fault}` : h("button", { type: "button", class: "link", onclick: () => open(run.name) }, when(run.at)),
      h("span", { class: "id" }, run.index), run.rate ? `${run.rate.passed} of ${run.rate.total}` : "", run.rate ? percent(run.rate.rate) : "",
      ...(several ? [radio("before", run, i === 1), radio("after", run, i === 0)] : [])],
  }));
  const list = all.runs.length
    ? [table("Runs", [["when (UTC)", ""], ["index", ""], ["passed", "n"], ["share", "n"], ...(several ? [["earlier", ""], ["later", ""]] : [])], rows),
      several ? h("div", { class: "row" }, h("button", { type: "button", id: "golden-compare", onclick: compare }, "Compare the two")) : null]
    : h("p", { class: "empty" }, "No runs yet. ", all.can_run ? "Run the project's golden questions now, or " : "Run ", h("code", {}, "dragoman eval --json"), " into the folder of reports.");
  fill($("golden"),
    card("Runs of the golden questions", list, all.can_run ? h("p", {}, h("button", { type: "button", class: "main", id: "golden-run", onclick: run }, "Run them now")) : null),
    h("div", { id: "golden-paired" }), h("div", { id: "golden-one" }, shown ? detail(shown) : []));
}

async function run(event) {
  const label = event.target.textContent;
  event.target.disabled = true;
  event.target.textContent = "Running …";
  $("golden-status").textContent = "running";
  try {
    const made = await finished();
    await refresh(made);
    $("golden-status").textContent = `${made.rates.all.passed} of ${made.rates.all.total} passed`;
  } catch (error) {
    event.target.disabled = false;
    event.target.textContent = label;
    $("golden-status").textContent = "";
    fill($("golden-one"), trouble(error));
  }
}

/** The run, however long it takes: the service goes on with it, and tells so (504) each time that a request runs out. */
async function finished() {
  for (let tries = 0; ; tries += 1) {
    try {
      return await post("page/golden/run");
    } catch (error) {
      if (error.status !== 504 || tries > 60) throw error;
    }
  }
}

async function open(name) {
  try {
    shown = await get(`page/golden/${encodeURIComponent(name)}`);
    fill($("golden-one"), detail(shown));
  } catch (error) {
    fill($("golden-one"), trouble(error));
  }
}

async function compare() {
  const chosen = (name) => document.querySelector(`input[name="${name}"]:checked`)?.value;
  try {
    const c = await post("page/golden/compare", { before: chosen("before"), after: chosen("after") });
    const ids = (list) => (list.length ? h("span", { class: "id" }, list.join(", ")) : "none");
    fill($("golden-paired"), card("Compared", h("dl", { class: "facts" },
      h("dt", {}, "newly failing"), h("dd", { class: c.lost.length ? "bad" : null }, ids(c.lost)),
      h("dt", {}, "newly passing"), h("dd", { class: c.won.length ? "good" : null }, ids(c.won)),
      h("dt", {}, "ran both times"), h("dd", {}, `${c.paired}: ${c.before} passed earlier, ${c.after} later; McNemar's exact test: p = ${c.p.toPrecision(3)}`),
      c.gone.length || c.new.length ? [h("dt", {}, "only once"), h("dd", {}, `${c.gone.length} only earlier, ${c.new.length} only later`)] : null)));
  } catch (error) {
    fill($("golden-paired"), trouble(error));
  }
}

function detail(run) {
  const safety = new Set(run.safety);
  const row = ([name, r]) => [[name, safety.has(name) ? [" ", chip("safety", "bad")] : null], `${r.passed}/${r.total}`, percent(r.rate), `${percent(r.low)} – ${percent(r.high)}`,
    r.rate === null ? "" : bar(r.rate, r.low, r.high)];
  const columns = (title) => [[title, ""], ["passed", "n"], ["share", "n wide-only"], ["95% interval", "n wide-only"], ["", ""]];
  const failed = run.cases.filter((c) => !c.passed && !c.skipped);
  const all = run.rates.all;
  return card(`Run of ${when(run.at)}`,
    h("ul", { class: "tiles" }, h("li", {}, h("p", { class: "big" }, percent(all.rate)), `${all.passed} of ${all.total} passed`),
      h("li", {}, h("p", { class: "big" }, String(failed.length)), "fail"), h("li", {}, h("p", { class: "big" }, String(all.skipped)), "skipped: need a model")),
    run.missed.length ? h("div", { class: "note wrong" }, h("ul", {}, run.missed.map((m) => h("li", {}, m)))) : null,
    run.kept ? null : h("p", { class: "note" }, "The folder of reports cannot be written here: this run is not kept."),
    failed.length ? h("div", { class: "failures" }, h("h3", {}, plural(failed.length, "question that fails", "questions that fail")),
      failed.slice(0, 100).map((c) => h("details", {}, h("summary", {}, h("span", { class: "id" }, c.id), " ", chip(c.category), " ", chip(c.language)), h("p", {}, c.why)))) : null,
    table("By category", columns("category"), Object.entries(run.rates.categories).map(row), { class: "compact" }),
    h("p", {}), table("By language", columns("language"), Object.entries(run.rates.languages).map(row), { class: "compact" }));
}
