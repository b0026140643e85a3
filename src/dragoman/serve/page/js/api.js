// Calls of the service. Texts go in bodies, the key in a header; addresses hold neither.

const KEY = "dragoman.key";

export const key = {
  get: () => sessionStorage.getItem(KEY) ?? "",
  set: (value) => (value ? sessionStorage.setItem(KEY, value) : sessionStorage.removeItem(KEY)),
};

/** What the service refused: its RFC 9457 document, as an error. */
export class Problem extends Error {
  constructor(status, document) {
    super(status === 401
      ? "The service asks for a key."
      : document?.detail ? `${document.title}: ${document.detail}.` : `The service answered with ${status}.`);
    this.status = status;
  }
}

async function call(method, path, body) {
  const headers = { Accept: "application/json" };
  if (key.get()) headers["X-API-Key"] = key.get();
  if (body !== undefined) headers["Content-Type"] = "application/json";
  let answer;
  try {
    answer = await fetch(path, { method, headers, body: body === undefined ? undefined : JSON.stringify(body), cache: "no-store" });
  } catch {
    throw new Problem(0, { title: "The service cannot be reached", detail: "it may be starting anew; try again" });
  }
  let document = null;
  try {
    document = await answer.json();
  } catch {
    if (answer.ok) throw new Problem(answer.status, { title: "No JSON", detail: "something stands between this page and the service" });
  }
  if (!answer.ok) throw new Problem(answer.status, document);
  return document;
}

// Relative, so that a tenant's page (/t/NAME/) asks for that tenant.
export const get = (path) => call("GET", path);
export const post = (path, body) => call("POST", path, body);
export const address = (path) => new URL(path, document.baseURI).href.replace(/[?#].*$/, "");
