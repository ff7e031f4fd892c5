// What the page says: a live line that screen readers speak, the place in the file, and the banner of a stopped server.

import { find } from "./dom.js";

const CLEAR_AFTER_MS = 8000;
let clearing = 0;

export function say(text) {
  const status = find("status");
  status.textContent = text;
  clearTimeout(clearing);
  clearing = setTimeout(() => { status.textContent = ""; }, CLEAR_AFTER_MS);
}

export function showPlace(text) {
  const place = find("place");
  if (place.textContent !== text) place.textContent = text;
}

export function showGone(gone) {
  find("banner").hidden = !gone;
}
