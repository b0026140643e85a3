// The frame of the page: tabs, theme, key, and what every tab needs to know of the system.
import { key, get } from "./api.js";
import { $, trouble } from "./dom.js";
import * as ask from "./ask.js";
import * as terms from "./terms.js";
import * as golden from "./golden.js";
import * as gaps from "./gaps.js";
import * as system from "./system.js";

const TABS = { ask, terms, golden, gaps, system };
const shown = new Set();
let known = null;

function select(name, focus = false) {
  for (const one of Object.keys(TABS)) {
    const on = one === name;
    $(`tab-${one}`).setAttribute("aria-selected", String(on));
    $(`tab-${one}`).tabIndex = on ? 0 : -1;
    $(`panel-${one}`).hidden = !on;
  }
  if (focus) $(`tab-${name}`).focus();
  if (location.hash.slice(1).split("?")[0] !== name) history.replaceState(null, "", `#${name}`);
  document.title = `${$(`tab-${name}`).textContent} · dragoman`;
  if (known && !shown.has(name)) {
    shown.add(name);
    TABS[name].show(known);
  }
}

function keys(event) {
  const names = Object.keys(TABS);
  const at = names.findIndex((n) => $(`tab-${n}`) === event.target);
  const to = { ArrowRight: at + 1, ArrowLeft: at - 1, Home: 0, End: names.length - 1 }[event.key];
  if (at < 0 || to === undefined) return;
  event.preventDefault();
  select(names[(to + names.length) % names.length], true);
}

function theme(next) {
  const order = ["auto", "light", "dark"];
  let now = localStorage.getItem("dragoman.theme") ?? "auto";
  if (next) now = order[(order.indexOf(now) + 1) % 3];
  localStorage.setItem("dragoman.theme", now);
  if (now === "auto") delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = now;
  $("theme").textContent = `Theme: ${now}`;
}

function keyDialog() {
  const dialog = $("key-dialog");
  $("key").addEventListener("click", () => {
    $("key-input").value = key.get();
    dialog.showModal();
  });
  $("key-cancel").addEventListener("click", () => dialog.close());
  $("key-forget").addEventListener("click", () => { key.set(""); dialog.close(); start(); });
  $("key-form").addEventListener("submit", () => { key.set($("key-input").value.trim()); start(); });
}

/** Learn of the system, then show the tab that the address names. */
async function start() {
  shown.clear();
  const wanted = location.hash.slice(1).split("?")[0];
  const name = wanted in TABS ? wanted : "ask";
  try {
    known = await get("page/system");
  } catch (error) {
    known = null;
    $("answer").replaceChildren(trouble(error));
    select("ask");
    return;
  }
  $("answer").replaceChildren();
  $("where").textContent = `${known.project} · profile ${known.profile} · index ${known.index.id} · dragoman ${known.version}`;
  select(name);
  if (name !== "ask") {
    shown.add("ask");
    ask.show(known);
  }
}

for (const name of Object.keys(TABS)) $(`tab-${name}`).addEventListener("click", () => select(name));
document.querySelector(".tabs").addEventListener("keydown", keys);
window.addEventListener("hashchange", () => {
  const name = location.hash.slice(1).split("?")[0];
  if (name in TABS) select(name);
});
document.addEventListener("dragoman:lookup", (event) => {
  select("terms");
  terms.find(event.detail);
});
document.addEventListener("dragoman:ask", (event) => {
  select("ask");
  ask.begin(event.detail);
});
$("theme").addEventListener("click", () => theme(true));
theme(false);
keyDialog();
start();
