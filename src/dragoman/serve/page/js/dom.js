// Building elements. Whatever comes from elsewhere is text, never markup.

/** An element with properties (class, on*, aria-*, ...) and children (elements, text, arrays; null is left out). */
export function h(tag, props = {}, ...children) {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(props ?? {})) {
    if (value === null || value === undefined || value === false) continue;
    if (name.startsWith("on")) element.addEventListener(name.slice(2), value);
    else if (name === "class") element.className = value;
    else element.setAttribute(name, value === true ? "" : value);
  }
  element.append(...children.flat(9).filter((c) => c !== null && c !== undefined && c !== false));
  return element;
}

export const $ = (id) => document.getElementById(id);

export function fill(element, ...children) {
  element.replaceChildren(...children.flat(9).filter((c) => c !== null && c !== undefined && c !== false));
  return element;
}

/**
 * A table that scrolls by itself where it is too wide; on a phone each row becomes a block of its own, which takes the
 * meaning away from table elements: hence the roles. Columns: [title, class]; cells: text, elements, or arrays.
 */
export function table(caption, columns, rows, props = {}) {
  const head = h("tr", { role: "row" }, columns.map(([title, cls]) => (title
    ? h("th", { scope: "col", role: "columnheader", class: cls }, title) : h("td", { role: "cell", class: cls }))));
  const body = rows.map((row) => {
    const { cells, ...rest } = Array.isArray(row) ? { cells: row } : row;
    return h("tr", { role: "row", ...rest }, cells.map((cell, i) => {
      const [title, cls] = columns[i];
      const bare = cell === "" || cell === null || (Array.isArray(cell) && !cell.flat(9).some((c) => c !== null && c !== ""));
      return i === 0 ? h("th", { scope: "row", role: "rowheader", class: cls }, cell)
        : h("td", { role: "cell", class: [cls, bare ? "bare" : ""].join(" ").trim() || null, "data-label": title || null }, h("div", { class: "cell" }, cell));
    }));
  });
  const made = h("table", { role: "table", "aria-label": caption, ...props }, h("thead", { role: "rowgroup" }, head), h("tbody", { role: "rowgroup" }, body));
  return h("div", { class: "wide" }, made);
}

export function card(title, ...children) {
  return h("section", { class: "card" }, title ? h("h2", {}, title) : null, children);
}

export const chip = (text, cls = "") => h("span", { class: `chip ${cls}` }, text);
export const words = (key) => String(key).replaceAll("_", " ");
export const plural = (n, one, many = `${one}s`) => `${n.toLocaleString("en")} ${n === 1 ? one : many}`;
export const percent = (share) => (share === null ? "–" : `${(100 * share).toFixed(1)}%`);

export function microseconds(us) {
  return us < 1000 ? `${us} µs` : us < 1e6 ? `${(us / 1000).toFixed(1)} ms` : `${(us / 1e6).toFixed(1)} s`;
}

/** A bar of `share` (0 to 1), with the ends of its interval. It repeats what stands beside it. */
export function bar(share, low = null, high = null) {
  const filled = h("span");
  filled.style.width = `${100 * share}%`;
  const parts = [filled];
  if (low !== null) {
    const interval = h("span", { class: "interval" });
    interval.style.left = `${100 * low}%`;
    interval.style.right = `${100 - 100 * high}%`;
    parts.push(interval);
  }
  return h("span", { class: "bar", "aria-hidden": "true" }, parts);
}

/** What went wrong, where it can be read. */
export function trouble(error) {
  const again = error.status === 401 ? h("button", { type: "button", onclick: () => $("key").click() }, "Enter a key") : null;
  return h("div", { class: "note wrong", role: "alert" }, h("p", {}, error.message), again);
}
