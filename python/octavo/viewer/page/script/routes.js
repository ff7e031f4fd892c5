// The address after `#`: which view, and with what. Every state that one would send to a colleague is in it.

const VIEWS = new Set(["records", "record", "file", "find", "sample"]);

export function parse(hash) {
  const [path, query = ""] = hash.replace(/^#\/?/, "").split("?", 2);
  const [view, number] = path.split("/");
  const options = Object.fromEntries(new URLSearchParams(query));
  if (!VIEWS.has(view)) return { view: "records", number: null, options: {} };
  return { view, number: /^\d+$/.test(number ?? "") ? Number(number) : null, options };
}

export function format(view, options = {}, number = null) {
  const parameters = new URLSearchParams();
  for (const [name, value] of Object.entries(options)) {
    if (value !== null && value !== undefined && value !== "" && value !== false) parameters.set(name, value);
  }
  const query = parameters.toString();
  return `#/${view}${number === null ? "" : `/${number}`}${query === "" ? "" : `?${query}`}`;
}

export function go(hash) {
  location.hash = hash;
}

// The address follows what is seen, without a new entry in the history.
export function note(hash) {
  if (location.hash !== hash) history.replaceState(history.state, "", hash);
}

// Another place in the same view: told to the router, but Back still leads out of the view.
export function replace(hash) {
  note(hash);
  dispatchEvent(new HashChangeEvent("hashchange"));
}

// Does something in a view: now, or when the address has led there. A hidden field takes no focus.
export function whenShown(view, work) {
  if (document.getElementById(view).hidden) addEventListener("hashchange", work, { once: true });
  else work();
}
