"""A page of the viewer in the browser, watched: whatever goes wrong in it, or leads elsewhere, is kept."""

from __future__ import annotations

import re
import time
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

from tests.settling import comes_true

PATIENCE_MS = 60_000  # a machine that is busy with other tests
QUIET_S = 0.25  # the page waits for less before it asks for what was scrolled to
ABORTED = "net::ERR_ABORTED"  # requests that the page itself gave up
FOLLOW = """place => {
    const before = location.hash;
    location.hash = place;
    if (location.hash === before) return null;
    return new Promise((resolve) => addEventListener("hashchange", () => resolve(), { once: true }));
}"""


class Window:
    """A page. `trouble` is what nobody expected of it: errors, dialogs, failed requests, requests to other hosts."""

    def __init__(self, context: Any, url: str) -> None:
        self.url = url
        self.trouble: list[str] = []
        self.requests: list[str] = []
        self._expected: list[str] = []
        self._under_way = 0
        self._changed_at = time.monotonic()
        self.page = context.new_page()
        self.page.set_default_timeout(PATIENCE_MS)
        self.page.on("console", self._hear)
        self.page.on("pageerror", lambda error: self.trouble.append(f"error: {error}"))
        self.page.on("dialog", self._refuse)
        self.page.on("request", self._asked)
        self.page.on("requestfailed", self._failed)
        self.page.on("requestfinished", lambda _: self._ended())
        self.page.on("response", self._answered)
        self.page.on("popup", lambda page: self.trouble.append(f"another page: {page.url}"))

    def _hear(self, message: Any) -> None:
        if message.type in {"error", "warning"}:
            self.trouble.append(f"console: {message.text}")

    def _refuse(self, dialog: Any) -> None:
        self.trouble.append(f"dialog: {dialog.message}")
        dialog.dismiss()

    def _asked(self, request: Any) -> None:
        self.requests.append(request.url)
        self._under_way += 1
        if not request.url.startswith(self.url):
            self.trouble.append(f"a request to {request.url}")

    def _ended(self) -> None:
        self._under_way -= 1
        self._changed_at = time.monotonic()

    def _failed(self, request: Any) -> None:
        self._ended()
        if request.failure != ABORTED:
            self.trouble.append(f"failed: {request.url}: {request.failure}")

    def _answered(self, response: Any) -> None:
        if response.status >= 400:
            self.trouble.append(f"status {response.status}: {response.url}")

    def expect_trouble(self, pattern: str) -> None:
        """Let pass what would be trouble elsewhere."""
        self._expected.append(pattern)

    @property
    def unexpected(self) -> list[str]:
        return [said for said in self.trouble if not any(re.search(pattern, said) for pattern in self._expected)]

    def forget(self) -> None:
        """Begin anew, as far as trouble goes."""
        self.trouble.clear()
        self._expected.clear()

    def close(self) -> None:
        self.page.close()

    # ---------------------------------------------------------------------------------------------- going somewhere

    def go(self, place: str = "") -> None:
        """Go to a place as a link on the page does, or from scratch the first time."""
        if self.page.url.partition("#")[0] == self.url:
            # What comes from outside the page can be lost where the page changes its own address at that instant.
            self.page.evaluate(FOLLOW, place)
        else:
            self.page.goto(self.url + place)

    def go_to_record(self, number: int, as_: str = "") -> None:
        """Open the view of a record, and wait until it is there."""
        self.go(f"#/record/{number}{as_ and f'?as={as_}'}")
        self.shows_record(number)

    def press(self, *keys: str) -> None:
        for key in keys:
            self.page.keyboard.press(key)

    # ---------------------------------------------------------------------------------------------- what is there

    def find(self, selector: str) -> Any:
        return self.page.locator(selector)

    def view(self) -> Any:
        """The view that is shown."""
        return self.page.locator("main > .view:not([hidden])")

    def card(self, number: int) -> Any:
        return self.view().locator(f'.card[data-number="{number}"]')

    def cards(self, status: str = "") -> Any:
        return self.view().locator(f'.card[data-status="{status}"]' if status else ".card")

    def numbers(self) -> list[int]:
        """The records whose cards are there, on the screen or close to it."""
        return [int(number) for number in self.cards().evaluate_all("cards => cards.map(card => card.dataset.number)")]

    def blocks(self) -> Any:
        return self.page.locator("#record-blocks")

    def current_record(self) -> int:
        """The record under the cursor."""
        return int(self.view().locator(".card.cursor").get_attribute("data-number"))

    # ---------------------------------------------------------------------------------------------- waiting

    def shows_card(self, number: int, status: str = "ok") -> None:
        self.has(self.card(number), f'[data-status="{status}"]')

    def has(self, locator: Any, selector: str) -> None:
        """Wait until what is there is like this."""
        locator.and_(self.page.locator(selector)).wait_for()

    def shows_record(self, number: int) -> None:
        self.page.locator(f'#record[data-number="{number}"]:not([hidden])').wait_for()
        self.page.locator("#record-sheet:not([aria-busy])").wait_for()

    def says(self, selector: str, pattern: str) -> str:
        """Wait until the text there has this in it, and give all of it."""
        place = self.page.locator(selector)
        place.filter(has_text=re.compile(pattern)).first.wait_for(state="attached")
        return str(place.first.inner_text())

    def comes_true(self, condition: Callable[[], bool]) -> bool:
        """Whether it does, while the page goes on living."""

        def look() -> bool:
            self.page.wait_for_timeout(10)
            return condition()

        return comes_true(look)

    def settles(self) -> None:
        """Wait until nothing has been asked for a moment and every card on the screen is read."""

        def is_quiet() -> bool:
            return self._under_way <= 0 and time.monotonic() - self._changed_at > QUIET_S

        assert self.comes_true(lambda: is_quiet() and self.cards().count() > 0 and self.cards("pending").count() == 0)

    @contextmanager
    def counting(self, part: str) -> Iterator[list[str]]:
        """The requests whose address has `part` in it, made inside `with`."""
        made: list[str] = []
        before = len(self.requests)
        yield made
        made.extend(url for url in self.requests[before:] if part in url)
