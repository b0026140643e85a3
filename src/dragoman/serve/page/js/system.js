// What answers, made of what, under which licences; who is told what; whether the provider answers.
import { post } from "./api.js";
import { privacy } from "./ask.js";
import { $, card, chip, fill, h, table, trouble, words } from "./dom.js";

const facts = (rows) => h("dl", { class: "facts" }, rows.filter(([, v]) => v !== null && v !== "").map(([name, v]) => [h("dt", {}, name), h("dd", {}, v)]));
const number = (n) => n.toLocaleString("en");

export function show(s) {
  const counts = Object.entries(s.index.counts).filter(([, n]) => n);
  fill($("system"),
    card("Who is told what", h("p", {}, privacy(s)), s.sends ? sends(s) : null),
    h("div", { class: "pair" },
      card("What answers", facts([["project", s.project], ["profile", s.profile], ["languages", s.languages.join(", ")], ["tenants", s.tenants.join(", ")],
        ["dragoman", s.version], ["Python", s.python], ["gaps", s.gaps_counted ? "counted, without the words of a question" : "not counted"],
        ["limits", `${number(s.limits.text)} characters, ${s.limits.history} earlier messages`], ["licence", "Apache-2.0"]])),
      card("Index", facts([["id", h("span", { class: "id" }, s.index.id)], ["built", `${s.index.built_at.replace("T", " ").replace("Z", " UTC")} by ${s.index.built_by}`],
        ["size", `${(s.index.bytes / 1e6).toFixed(1)} MB`],
        ...Object.entries(s.index.rates).map(([name, r]) => [`golden: ${name}`, `${(100 * r).toFixed(1)}%`])]),
      h("details", {}, h("summary", { class: "fine" }, "What it holds"), facts(counts.map(([name, n]) => [words(name), number(n)]))))),
    card("Sources and licences", table("Sources", [["source", ""], ["format", ""], ["version", ""], ["licence", ""], ["rows", "n"], ["rejected", "n"]],
      s.index.sources.map((x) => [x.name, x.format, x.version ?? "–", [x.licence ?? "not stated", x.restricted ? [" ", chip("never listed in bulk", "bad")] : null], number(x.rows), number(x.rejected)]))),
    card("Layers and features", h("ul", { class: "list" }, s.switches.map((x) => h("li", {}, words(x.name), " ", chip(x.on ? "on" : "off", x.on ? "good" : "bad"))))));
}

function sends(s) {
  return [
    facts([["provider", s.sends.provider], ["model", s.sends.model], ["address", s.sends.to], ["when it fails", words(s.sends.on_outage)], ["deadline", `${s.sends.timeout_s} s`]]),
    s.sends.sent.length ? [h("h3", {}, "Sent with each question"), h("ul", {}, s.sends.sent.map((x) => h("li", {}, x)))] : null,
    h("p", {}, h("button", { type: "button", id: "probe", onclick: probe }, "Ask the provider whether it answers")),
    h("div", { id: "probed", role: "status" }),
  ];
}

async function probe(event) {
  event.target.disabled = true;
  fill($("probed"), h("p", { class: "fine" }, "asking; nobody's words are sent …"));
  try {
    const p = await post("page/probe");
    const said = p.error ? `gave no usable answer (${words(p.error)})` : p.enforced ? "answers, and holds the model to the schema" : "answers, and does not hold the model to the schema";
    fill($("probed"), h("p", { class: p.error ? "bad" : "good" }, `${p.host} ${said}, in ${p.latency_s.toFixed(1)} s.`));
  } catch (error) {
    fill($("probed"), trouble(error));
  }
  event.target.disabled = false;
}
