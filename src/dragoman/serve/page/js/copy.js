// A turn as something to take along: a link (without the text unless asked for), curl, Python, a golden question, JSON.
import { address, key } from "./api.js";
import { $, h } from "./dom.js";
import { empty } from "./frame.js";
import { options } from "./ask.js";

const bare = (turn) => Object.fromEntries(Object.entries(turn).filter(([, v]) => !empty(v)));

function curl({ turn, without }) {
  const body = JSON.stringify({ ...bare(turn), ...(without.length ? { without } : {}) }, null, 1);
  const secret = key.get() ? ' \\\n  -H "X-API-Key: $DRAGOMAN_KEY"' : "";
  return `curl -sS ${address("v1/ask")} \\\n  -H "Content-Type: application/json"${secret} \\\n  --data-binary @- <<'TURN'\n${body}\nTURN`;
}

function code({ turn, without }) {
  const given = Object.entries(bare(turn)).filter(([name]) => name !== "text");
  const messages = turn.history.map((m) => `    Message(role="user", text=${JSON.stringify(m.text)}),`).join("\n");
  const extra = given.map(([name, v]) => (name === "history" ? `\n    history=(\n    ${messages.replaceAll("\n", "\n    ")}\n    ),` : `\n    ${name}=${literal(v)},`)).join("");
  return `from dragoman import Dragoman, Turn${turn.history.length ? "\nfrom dragoman.types import Message" : ""}

d = Dragoman.open("dragoman.toml")
turn = Turn(
    ${JSON.stringify(turn.text)},${extra}
)
answer = d.ask(turn${without.length ? `, without=${literal(without)}` : ""})
print(answer.frame.turn_type, answer.frame.drugs)
print(answer.enrichment.text)`;
}

/** A value as Python writes it: strings are left alone. */
function literal(v) {
  if (v === null) return "None";
  if (typeof v === "boolean") return v ? "True" : "False";
  if (Array.isArray(v)) return `[${v.map(literal).join(", ")}]`;
  if (typeof v === "object") return `{${Object.entries(v).map(([name, x]) => `${JSON.stringify(name)}: ${literal(x)}`).join(", ")}}`;
  return JSON.stringify(v);
}

function golden({ turn, answer }) {
  const f = answer.frame;
  const frame = Object.fromEntries(["turn_type", "drugs", "unknown_drugs", "attribute", "population", "weight_kg", "route", "condition_relation", "needs_clarify", "clarify_reason"]
    .filter((name) => !empty(f[name])).map((name) => [name, f[name]]));
  if (f.condition) frame.condition = { concept_ids: f.condition.concept_ids };
  const include = answer.enrichment.expansions.map((x) => x.term);
  return JSON.stringify({ id: "new-001", language: answer.turn.language, category: "new", turn: bare(turn), expect: { frame, ...(include.length ? { expansions: { include } } : {}) } });
}

function link({ turn }, withText) {
  const { language, subject, without } = options();
  const given = new URLSearchParams();
  if (language) given.set("language", language);
  if (subject) given.set("subject", subject);
  if (without.length) given.set("without", without.join(","));
  if (withText) given.set("question", turn.text);
  return `${address(".")}#ask${[...given.keys()].length ? `?${given}` : ""}`;
}

const KINDS = {
  link: ["Share a link", "It opens this page with the same options. The question is not in it unless you say so; then whoever has the link, and their browser's history, has the question.", link],
  curl: ["curl", "The key, if there is one, is read from the environment.", curl],
  python: ["Python", "The same turn through the library.", code],
  golden: ["Golden case", "A line for golden.jsonl, with what came out now. Read it before you keep it: it says what is right from then on.", golden],
  json: ["JSON", "The answer as the service gave it.", ({ answer }) => JSON.stringify(answer, null, 1)],
};

/** The buttons under a question. */
export function actions(one) {
  return h("div", { class: "actions", role: "group", "aria-label": "Take it along" },
    Object.entries(KINDS).map(([name, [title]]) => h("button", { type: "button", class: "quiet", "data-copy": name, onclick: () => open(name, one) }, title)));
}

function open(name, one) {
  const [title, note, make] = KINDS[name];
  $("code-title").textContent = title;
  $("code-note").textContent = note;
  $("code-with").hidden = name !== "link";
  $("code-text").checked = false;
  $("code-done").textContent = "";
  const write = () => { $("code-box").textContent = make(one, $("code-text").checked); };
  $("code-text").onchange = write;
  write();
  $("code-dialog").showModal();
}

$("code-close").addEventListener("click", () => $("code-dialog").close());
$("code-copy").addEventListener("click", async () => {
  try {
    await navigator.clipboard.writeText($("code-box").textContent);
    $("code-done").textContent = "copied";
  } catch {  // only secure origins may write to the clipboard
    const range = document.createRange();
    range.selectNodeContents($("code-box"));
    getSelection().removeAllRanges();
    getSelection().addRange(range);
    $("code-done").textContent = "selected: copy it with Ctrl+C";
  }
});
