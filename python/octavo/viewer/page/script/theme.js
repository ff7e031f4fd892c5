// Light, dark, or as the system says. Kept in this browser where it lets us.

import { find } from "./dom.js";
import { say } from "./status.js";

const KEY = "octavo-view-theme";
const THEMES = ["auto", "light", "dark"];
const TITLES = { auto: "automatic", light: "light", dark: "dark" };
const listeners = new Set();

export function startTheme() {
  choose(kept());
  find("theme").addEventListener("click", () => {
    const theme = THEMES[(THEMES.indexOf(document.documentElement.dataset.theme) + 1) % THEMES.length];
    choose(theme);
    keep(theme);
    say(`Theme: ${TITLES[theme]}`);
  });
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", tell);
}

// Drawings that take their colours from the theme are drawn again.
export function whenThemed(listener) {
  listeners.add(listener);
}

function choose(theme) {
  document.documentElement.dataset.theme = theme;
  const label = `Theme: ${TITLES[theme]}`;
  find("theme").setAttribute("aria-label", label);
  find("theme").title = label;
  tell();
}

function tell() {
  for (const listener of listeners) listener();
}

function kept() {
  try {
    const theme = localStorage.getItem(KEY);
    return THEMES.includes(theme) ? theme : "auto";
  } catch {
    return "auto"; // storage is switched off
  }
}

function keep(theme) {
  try {
    localStorage.setItem(KEY, theme);
  } catch {
    // storage is switched off: the choice lasts as long as the page
  }
}
