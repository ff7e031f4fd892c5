// Keys for the whole page. A view sees a key first; none is taken while one types, chooses or a dialog is open.

import { find } from "./dom.js";
import { openHelp } from "./help_dialog.js";
import { go, whenShown } from "./routes.js";

const TYPING = "input:not([type=checkbox]):not([type=button]), textarea, select, [contenteditable]";

export function startKeys({ view, selection, goToRecord }) {
  const actions = {
    "?": openHelp,
    "/": goToFind,
    f: () => go("#/file"),
    r: () => go("#/records"),
    g: goToRecord,
    e: () => { if (selection.count > 0) find("export-button").click(); },
  };
  addEventListener("keydown", (event) => {
    if (event.ctrlKey || event.metaKey || event.altKey || event.defaultPrevented) return;
    if (document.querySelector("dialog[open]") !== null) return;
    if (event.target.matches?.(TYPING)) {
      if (event.key === "Escape") leave(event.target);
      return;
    }
    if (view()?.key(event)) {
      event.preventDefault();
      return;
    }
    const action = actions[event.key];
    if (action === undefined) return;
    event.preventDefault();
    action();
  });
}

function goToFind() {
  whenShown("find", () => {
    find("find-text").focus();
    find("find-text").select();
  });
  go("#/find");
}

// From a field, Esc leads back into what it is about.
function leave(field) {
  field.blur();
  const cards = field.closest(".view")?.querySelector('.card[tabindex="0"]');
  (cards ?? find("main")).focus({ preventScroll: true });
}
