// Asking: one conversation, turn by turn; everything that is known of the turn that is looked at.
import { post } from "./api.js";
import { $, card, chip, fill, h, microseconds, table, trouble, words } from "./dom.js";
import { frame, gist, sources } from "./frame.js";
import { legend, reading } from "./marks.js";
import { enrichment, work } from "./enrichment.js";
import { searched } from "./search.js";
import { actions } from "./copy.js";

let known = null;
let turns = [];  // { turn, answer }
let at = -1;

export function show(system) {
  known = system;
  fill($("language"), h("option", { value: "" }, "as the words show"), system.languages.map((code) => h("option", { value: code }, code)));
  const box = (s) => h("label", {}, h("input", { type: "checkbox", value: s.name, checked: s.on, disabled: !s.on }), ` ${words(s.name)}`);
  fill($("switches"), h("legend", {}, "Layers and features that are on"), system.switches.map(box));
  $("question").maxLength = system.limits.text;
  fill($("privacy"), privacy(system));
  fill($("examples"), system.questions.length ? [h("h2", {}, "Or begin with one of these"), h("ul", {}, system.questions.map((q) =>
    h("li", {}, h("button", { type: "button", lang: q.language, onclick: () => begin(q.text) }, q.text))))] : []);
  fromAddress();
}

/** Who is told what is typed here. */
export function privacy(system) {
  const s = system.sends;
  const where = !s ? "No model is asked: what you type stays on this service."
    : s.sent.length ? `What you type is sent to ${s.to} (model ${s.model})${s.redacted ? ", with obvious identifiers masked" : ", as it is"}.`
      : `The model ${s.model} runs beside the service: what you type stays there.`;
  const kept = system.keep_text
    ? h("strong", {}, ` This service keeps what is asked for ${system.keep_days} days, with obvious identifiers masked.`)
    : " Nothing of it is kept or logged.";
  return [where, kept];
}

function fromAddress() {
  const given = new URLSearchParams(location.hash.split("?")[1] ?? "");
  if (![...given.keys()].length) return;
  $("language").value = given.get("language") ?? "";
  $("subject").value = given.get("subject") ?? "";
  const off = (given.get("without") ?? "").split(",");
  for (const box of $("switches").querySelectorAll("input")) if (off.includes(box.value)) box.checked = false;
  history.replaceState(null, "", "#ask");  // a question that came with the link stays no longer in the address
  if (given.get("question")) begin(given.get("question"));
}

/** The options as the form has them. */
export function options() {
  const off = [...$("switches").querySelectorAll("input:not(:checked):not(:disabled)")].map((box) => box.value);
  return { language: $("language").value || null, subject: $("subject").value || null, without: off };
}

export function begin(text) {
  turns = [];
  at = -1;
  $("question").value = text;
  send();
}

async function send() {
  const text = $("question").value.trim();
  if (!text) return;
  const { language, subject, without } = options();
  const last = turns.at(-1);
  const turn = {
    text, language, subject_scope: subject,
    history: turns.map((t) => ({ role: "user", text: t.turn.text })).slice(-known.limits.history),
    prior_frame: last ? last.answer.frame : null,
  };
  $("ask-button").disabled = true;
  $("ask-button").textContent = "Asking …";  // a model takes seconds
  $("ask-status").textContent = "asking";
  try {
    const answer = await post("v1/ask", { ...turn, without });
    turns.push({ turn, answer, without });
    at = turns.length - 1;
    $("question").value = "";
    render();
    $("ask-status").textContent = "answered";
  } catch (error) {
    fill($("answer"), trouble(error));
    $("ask-status").textContent = "";
  } finally {
    $("ask-button").disabled = false;
    $("ask-button").textContent = "Ask";
  }
}

function render() {
  const one = turns[at];
  $("examples").hidden = turns.length > 0;
  $("afresh").hidden = !turns.length;
  document.querySelector('label[for="question"]').textContent = turns.length ? "And then? A follow-up is read with what came before" : "A question, as a person would write it";
  fill($("turns"), turns.length > 1 ? conversation() : []);
  const results = card("Search", h("p", { class: "empty" }, "searching …"));
  results.id = "searched";
  fill($("answer"), asked(one), actions(one), h("div", { class: "pair" }, frame(one.answer, known.labels, turns[at - 1]?.answer), enrichment(one.answer)),
    results, candidates(one.answer), work(one.answer));
  $("answer").querySelector(".card").classList.add("fresh");
  searched(one.answer).then((made) => { made.id = "searched"; $("searched")?.replaceWith(made); });
}

function asked({ answer }) {
  const f = answer.frame;
  // "frame" is the sum of the steps before it; a model's time is not dragoman's.
  const took = answer.trace.filter((row) => !["model", "frame"].includes(row.step)).reduce((sum, row) => sum + row.us, 0);
  const replies = f.quick_replies.map((text) => h("li", {}, h("button", { type: "button", lang: answer.turn.language, onclick: () => { $("question").value = text; send(); } }, text)));
  return h("section", { class: "card", "aria-label": "The question read back" },
    reading(answer), legend(answer),
    h("p", { class: "gist" }, gist(answer, known.labels)),
    h("p", { class: "fine" }, `read as ${answer.turn.language} · understood by ${f.understood_by} · ${microseconds(took)}${f.understood_by === "model" ? " beside the model" : ""}`),
    f.needs_clarify ? [h("p", {}, `It needs a question back (${words(f.clarify_reason ?? "not understood")}).`, replies.length ? " The person may answer:" : ""), h("ul", { class: "replies" }, replies)] : null);
}

function conversation() {
  const carried = (i) => Object.entries(sources(turns[i].answer)).filter(([, by]) => by === "merge").map(([field]) => words(field.split(".").at(-1)));
  return h("ol", { class: "turns", "aria-label": "The conversation" }, turns.map((t, i) => h("li", {},
    h("button", { type: "button", "aria-current": i === at ? "true" : null, onclick: () => { at = i; render(); } },
      h("span", { class: "said", lang: t.answer.turn.language }, t.turn.text), h("br"),
      h("span", { class: "fine" }, words(t.answer.frame.turn_type), carried(i).length ? ` · carried over: ${carried(i).join(", ")}` : "",
        t.answer.frame.needs_clarify ? " · asks back" : "")))));
}

function candidates(answer) {
  const where = (c) => (c.message === -1 ? "" : ` (message ${c.message + 1})`);
  const look = (id) => h("button", { type: "button", class: "link id", onclick: () => document.dispatchEvent(new CustomEvent("dragoman:lookup", { detail: id })) }, id);
  const rows = answer.candidates.map((c) => [h("span", { lang: answer.turn.language }, c.text, where(c)), chip(c.kind, c.kind), c.name, [`${c.source} `, look(c.id)],
    c.match, c.score.toFixed(2), c.why ?? ""]);
  const others = answer.mentions.filter((m) => !m.candidate_ids.length)
    .map((m) => [h("span", { lang: answer.turn.language }, m.text, where(m)), chip(m.status, "unknown"), "–", "", "", "", m.reason ?? ""]);
  const columns = [["words", ""], ["kind", ""], ["name", ""], ["id", ""], ["match", ""], ["score", "n"], ["why", ""]];
  return card("Candidates", rows.length + others.length ? table("Candidates", columns, [...rows, ...others])
    : h("p", { class: "empty" }, "No words of it name anything in the vocabularies."));
}

$("ask-form").addEventListener("submit", (event) => { event.preventDefault(); send(); });
$("question").addEventListener("keydown", (event) => {
  if (event.key === "Enter" && !event.shiftKey && !event.isComposing) { event.preventDefault(); send(); }
});
$("afresh").addEventListener("click", () => {
  turns = [];
  at = -1;
  fill($("turns"));
  fill($("answer"));
  $("examples").hidden = false;
  $("afresh").hidden = true;
  $("question").focus();
});
