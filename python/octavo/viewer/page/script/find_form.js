// The two forms of the find view, and their way into the address and back.

import { find } from "./dom.js";
import { sizeFrom } from "./format.js";

export class FindForm {
  constructor({ onFind, onSample }) {
    find("find-form").addEventListener("submit", (event) => {
      event.preventDefault();
      const query = this.read();
      if (query !== null) onFind(query);
    });
    find("sample-form").addEventListener("submit", (event) => {
      event.preventDefault();
      onSample({ count: find("sample-count").value, seed: find("sample-seed").value });
    });
  }

  // What the fields say, as the address has it; null, with the first wrong field in focus, where they say nothing.
  read() {
    for (const id of ["find-min", "find-max"]) {
      const isWrong = sizeFrom(find(id).value) === undefined;
      find(id).toggleAttribute("aria-invalid", isWrong);
      if (!isWrong) continue;
      find(id).setAttribute("aria-invalid", "true");
      return this.complain(id, "A size is a number of bytes, or like 10 kB, 1.5 MB, 2 GiB.");
    }
    const [least, most] = [find("find-min").value.trim(), find("find-max").value.trim()];
    const isReversed = most !== "" && sizeFrom(least) > sizeFrom(most);
    if (isReversed) return this.complain("find-min", "The smallest size is larger than the largest.");
    const text = find("find-text").value;
    const isOpen = text === "" && least === "" && most === "" && !find("find-text-only").checked;
    if (isOpen) return this.complain("find-text", "Enter a text to find, or a size.");
    find("find-error").hidden = true;
    return {
      text,
      mode: find("find-regex").checked ? "regex" : "text",
      ignore_case: find("find-ignore-case").checked ? "1" : "",
      text_only: find("find-text-only").checked ? "1" : "",
      min_bytes: least,
      max_bytes: most,
    };
  }

  complain(id, text) {
    find("find-error").textContent = text;
    find("find-error").hidden = false;
    find(id).focus();
    return null;
  }

  fill(view, options) {
    if (view === "sample") {
      find("sample-count").value = options.count ?? "100";
      find("sample-seed").value = options.seed ?? "0";
      return;
    }
    find("find-text").value = options.text ?? "";
    find("find-regex").checked = options.mode === "regex";
    find("find-ignore-case").checked = isOn(options.ignore_case);
    find("find-text-only").checked = isOn(options.text_only);
    find("find-min").value = options.min_bytes ?? "";
    find("find-max").value = options.max_bytes ?? "";
  }

  // From an address to what the server is asked.
  queryOf(options) {
    return {
      text: options.text ?? "",
      mode: options.mode === "regex" ? "regex" : "text",
      ignore_case: isOn(options.ignore_case),
      text_only: isOn(options.text_only),
      min_bytes: sizeFrom(options.min_bytes ?? "") ?? null,
      max_bytes: sizeFrom(options.max_bytes ?? "") ?? null,
    };
  }
}

const isOn = (value) => value === "1" || value === "true";
