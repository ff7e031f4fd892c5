// The keys, as a table. What is listed here is what `keys.js` and the views listen to.

import { element, find, replaceChildren } from "./dom.js";

const KEYS = [
  ["Move", [
    [["j", "k"], "Next, previous record"],
    [["←", "→", "↑", "↓"], "Move in the grid; h and l for left and right"],
    [["Page Up", "Page Down"], "A screen up, down"],
    [["Home", "End"], "First, last record; G for the last, too"],
    [["g"], "Go to a record: a number, -1 for the last, or 50%"],
    [["d"], "Next damage, where some is known"],
  ]],
  ["Look", [
    [["Enter"], "Open the record"],
    [["Esc"], "Back"],
    [["v"], "Grid or list"],
    [["/"], "Find"],
    [["f"], "The file"],
    [["r"], "The records"],
  ]],
  ["Select", [
    [["x"], "Select the record; Space, too"],
    [["Shift", "x"], "Select from the last one to here; Shift and click, too"],
    [["e"], "Export the selection"],
  ]],
];

export function startHelp() {
  const dialog = find("help");
  replaceChildren(find("help-keys"), ...KEYS.map(([title, keys]) => element(
    "section", {},
    element("h3", {}, title),
    element("dl", { class: "keys" }, ...keys.map(([names, what]) => element(
      "div", {},
      element("dt", {}, ...names.map((name) => element("kbd", {}, name))),
      element("dd", {}, what),
    ))),
  )));
  find("help-button").addEventListener("click", openHelp);
  find("help-close").addEventListener("click", () => dialog.close());
}

export function openHelp() {
  find("help").showModal();
}
