// Making elements. Text only ever becomes a text node: nothing here parses HTML, whatever a record holds.

const SVG = "http://www.w3.org/2000/svg";

export const find = (id) => document.getElementById(id);

// element("p", { class: "faint", onclick: f }, "text", child): attributes by name, listeners by `on` and a function.
export function element(tag, attributes = {}, ...children) {
  return fill(document.createElement(tag), attributes, children);
}

export function drawing(tag, attributes = {}, ...children) {
  return fill(document.createElementNS(SVG, tag), attributes, children);
}

export function icon(name) {
  return drawing("svg", { class: "icon", "aria-hidden": "true" }, drawing("use", { href: `#i-${name}` }));
}

export function replaceChildren(parent, ...children) {
  parent.replaceChildren(...children.filter((child) => child !== null && child !== undefined));
}

function fill(made, attributes, children) {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === null || value === undefined || value === false) continue;
    if (typeof value === "function") made.addEventListener(name.slice(2), value);
    else made.setAttribute(name, value === true ? "" : String(value));
  }
  made.append(...children.filter((child) => child !== null && child !== undefined));
  return made;
}
