// Images and sounds inside a record. Their addresses come from the server, which serves nothing but media there.

import { element } from "./dom.js";
import { count } from "./format.js";
import { TINY_PX } from "./card.js";

const problem = (text) => element("p", { class: "problem" }, text);

export function drawImage({ src, width, height, title, media_type: type }) {
  const alt = title || `Image, ${width} by ${height}`;
  const isTiny = Math.max(width, height) <= TINY_PX;
  const image = element("img", { class: isTiny ? "tiny" : null, alt, width, height, decoding: "async" });
  const looks = { class: "image-frame scrolls fits", tabindex: "0", role: "group", "aria-label": alt };
  const frame = element("div", looks, image);
  image.addEventListener("error", () => image.replaceWith(problem("The image cannot be shown.")));
  image.src = src;
  const size = element("button", { type: "button", class: "quiet", "aria-pressed": "false" }, "100 %");
  size.addEventListener("click", () => {
    const isFitted = frame.classList.toggle("fits");
    size.setAttribute("aria-pressed", String(!isFitted));
  });
  const facts = [title, `${count(width)} × ${count(height)}`, type].filter(Boolean).join(" · ");
  return element(
    "div", { class: "block block-image" },
    element("div", { class: "block-tools" }, element("span", { class: "faint" }, facts), size),
    frame,
  );
}

export function drawAudio({ src, title, facts, media_type: type }) {
  const player = element("audio", { controls: true, preload: "metadata", "aria-label": title || "Sound" });
  player.addEventListener("error", () => player.replaceWith(problem("The sound cannot be played.")));
  player.src = src;
  const told = [title, facts, type].filter(Boolean).join(" · ");
  return element(
    "div", { class: "block block-audio" },
    element("div", { class: "block-tools" }, element("span", { class: "faint" }, told)),
    player,
  );
}
