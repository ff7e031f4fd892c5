// A page of text scrolls by keys wherever the focus is, unless what has the focus needs them itself.

const LINE_PX = 60;

export function scrollSheet(event, sheet) {
  if (event.target.closest("audio, .scrolls, [role=slider], summary, button, a") !== null) return false;
  const screen = sheet.clientHeight * 0.9;
  const steps = {
    ArrowDown: LINE_PX, ArrowUp: -LINE_PX, PageDown: screen, PageUp: -screen, Home: -Infinity, End: Infinity,
    " ": event.shiftKey ? -screen : screen,
  };
  const step = steps[event.key];
  if (step === undefined) return false;
  if (Number.isFinite(step)) sheet.scrollBy({ top: step });
  else sheet.scrollTop = step > 0 ? sheet.scrollHeight : 0;
  return true;
}
