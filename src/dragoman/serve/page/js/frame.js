// The frame, field by field, with what set it.
import { card, chip, h, table, words } from "./dom.js";

const FIELDS = ["turn_type", "drugs", "unknown_drugs", "attribute", "condition", "condition_relation", "indication", "population", "weight_kg", "age_text",
  "patient_context.comorbidities", "patient_context.allergies", "patient_context.adverse_reactions", "patient_context.current_medications", "patient_context.renal",
  "patient_context.hepatic", "patient_context.pregnancy", "patient_context.labs", "route", "section_overview", "entities.conditions", "entities.departments",
  "entities.doctors", "entities.procedures", "entities.list_request", "context_action", "depends_on_previous_turn", "standalone_query", "reformulated_query",
  "needs_clarify", "clarify_reason", "quick_replies", "pending", "understood_by", "system_error"];
const SET_BY = {
  rules: "rules", model: "model", offline: "offline heads", cues: "cue", merge: "carried over", confirm: "confirmed", validate: "fallback",
  clarify: "question back", standalone: "template", dropped: "dropped",
};

/** `{field: what set it}`, from the trace. */
export function sources(answer) {
  const note = answer.trace.find((row) => row.step === "provenance")?.note ?? "";
  return Object.fromEntries(note.split("; ").filter(Boolean).map((part) => part.split(": ")));
}

export function value(frame, field) {
  const [outer, inner] = field.split(".");
  return inner ? frame[outer]?.[inner] : frame[outer];
}

export const empty = (v) => v === null || v === undefined || v === "" || v === false || v === "none" || (Array.isArray(v) && !v.length);

function shown(field, v, answer, labels) {
  if (empty(v)) return "–";
  if (field === "drugs") {
    return h("ul", {}, v.map((id) => {
      const name = answer.candidates.find((c) => c.kind === "drug" && c.id === id)?.name;
      return h("li", {}, name && name !== id ? [name, " ", h("span", { class: "id fine" }, id)] : h("span", { class: "id" }, id));
    }));
  }
  if (field === "turn_type") return h("span", { class: "id" }, v);
  if (labels[field]?.[v]) return [labels[field][v], " ", h("span", { class: "id fine" }, v)];
  if (field === "weight_kg") return `${v} kg`;
  if (v === true) return "yes";
  if (Array.isArray(v)) return h("ul", {}, v.map((item) => h("li", {}, one(item))));
  return one(v);
}

function one(item) {
  if (typeof item !== "object") return String(item);
  const { message, span, ...rest } = item;
  const parts = Object.entries(rest).filter(([, x]) => !empty(x));
  return parts.map(([name, x]) => (["text", "name", "quick_reply"].includes(name) ? String(x) : `${words(name)} ${Array.isArray(x) ? x.join(", ") : x}`)).join(" · ");
}

/** A card with the fields that are set, and on demand all others. */
export function frame(answer, labels, before) {
  const by = sources(answer);
  const row = (field) => {
    const v = value(answer.frame, field);
    const set = by[field];
    const old = before && !empty(value(before.frame, field)) && JSON.stringify(value(before.frame, field)) !== JSON.stringify(v);
    return {
      class: set === "dropped" ? "dropped" : null,
      cells: [words(field.split(".").at(-1)), shown(field, v, answer, labels),
        [set ? chip(SET_BY[set] ?? set, set === "dropped" ? "bad" : set === "merge" ? "entity" : "") : "", old ? [" ", chip("changed")] : null]],
    };
  };
  const set = FIELDS.filter((f) => !empty(value(answer.frame, f)) || by[f] === "dropped");
  const rest = FIELDS.filter((f) => !set.includes(f));
  const columns = [["field", ""], ["value", ""], ["set by", ""]];
  const more = h("details", {}, h("summary", { class: "fine" }, `${rest.length} empty fields`), h("p", { class: "fine" }, rest.map(words).join(", ")));
  return card("Frame", h("div", { class: "frame" }, table("Fields of the frame", columns, set.map(row))), more);
}

/** What is asked, as a sentence. */
export function gist(answer, labels) {
  const f = answer.frame;
  if (f.system_error) return `The model failed: ${words(f.system_error)}. The frame fails closed.`;
  const name = (field, key) => labels[field]?.[key] ?? words(key);
  const names = f.drugs.map((id) => answer.candidates.find((c) => c.id === id)?.name ?? id);
  const about = names.length ? names : f.condition ? [f.condition.name] : ["conditions", "departments", "doctors", "procedures"].flatMap((kind) => f.entities[kind]);
  // Labels of turn types are made to be followed by a name ("Interaction of"); without one the key says it better.
  const parts = [h("strong", {}, about.length ? `${name("turn_type", f.turn_type)}: ${about.join(", ")}` : words(f.turn_type))];
  if (f.attribute) parts.push(" · ", name("attribute", f.attribute));
  if (names.length && f.condition) parts.push(" · ", f.condition.name);
  if (f.population) parts.push(" · ", name("population", f.population));
  if (f.weight_kg) parts.push(` · ${f.weight_kg} kg`);
  if (answer.scope.subject !== "human") parts.push(` · about an animal (${answer.scope.reason ?? "stated"})`);
  return parts;
}
