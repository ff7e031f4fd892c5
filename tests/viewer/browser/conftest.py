"""A browser, viewers to look at, and windows that are watched: at the end nothing may have gone wrong in them."""

from __future__ import annotations

import os
import shutil
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager
from pathlib import Path
from typing import Any, TypeAlias

import pytest

import octavo
from tests.viewer.browser.window import Window
from tests.viewer.samples import billion, damage, hostile, mixed

View: TypeAlias = Callable[..., Any]
Look: TypeAlias = Callable[..., Window]

VIEWPORT = {"width": 1200, "height": 750}


@pytest.fixture(scope="module")
def browser() -> Iterator[Any]:
    """One for each file of tests: as long as it runs, no other event loop can run in this thread."""
    library = pytest.importorskip("playwright.sync_api", reason="the page is tested with playwright")
    pytest.importorskip("uvicorn", reason="the viewer is served by uvicorn: pip install 'octavo[view]'")
    pytest.importorskip("starlette", reason="the viewer is made with Starlette: pip install 'octavo[view]'")
    program = shutil.which(os.environ.get("OCTAVO_BROWSER", "chromium"))
    if program is None:
        pytest.skip("no Chromium: scripts/ensure-browser installs one")
    with library.sync_playwright() as playwright:
        browser = playwright.chromium.launch(
            executable_path=program, args=["--no-sandbox"], ignore_default_args=["--hide-scrollbars"]
        )
        yield browser
        browser.close()


@pytest.fixture
def view(browser: Any, tmp_path: Path) -> Iterator[View]:
    """Starts a viewer of the test's own."""
    del browser  # where there is none, nothing is served
    with _viewers(tmp_path) as start:
        yield start


@pytest.fixture(scope="module")
def shared_view(browser: Any, tmp_path_factory: pytest.TempPathFactory) -> Iterator[View]:
    """Starts a viewer for all tests of a file."""
    del browser
    with _viewers(tmp_path_factory.mktemp("exported")) as start:
        yield start


@contextmanager
def _viewers(export_folder: Path) -> Iterator[View]:
    from octavo.viewer import Viewer

    with ExitStack() as started:
        yield lambda location, **options: started.enter_context(
            Viewer(location, **{"export_folder": export_folder, **options})
        )


@pytest.fixture(scope="module")
def context(browser: Any) -> Iterator[Any]:
    """What windows share that ask for nothing special: scripts and styles are fetched once."""
    context = browser.new_context(viewport=VIEWPORT)
    yield context
    context.close()


@pytest.fixture
def look(browser: Any, context: Any, view: View) -> Iterator[Look]:
    """Opens a window on a viewer."""
    del view  # its viewers end after the windows on them
    opened: list[Window] = []
    special: list[Any] = []

    def open_window(viewer: Any, place: str = "", **options: Any) -> Window:
        if options:
            special.append(browser.new_context(**{"viewport": VIEWPORT, **options}))
        window = Window(special[-1] if options else context, viewer.url)
        opened.append(window)
        window.go(place)
        return window

    yield open_window
    for page in opened:
        page.close()
    for one in special:
        one.close()
    assert [said for window in opened for said in window.unexpected] == []


@pytest.fixture(scope="module")
def kept_windows(shared_view: View) -> Iterator[dict[str, Window]]:
    """Windows that `revisit` has opened, by the address of their viewer."""
    del shared_view  # its viewers end after the windows on them
    windows: dict[str, Window] = {}
    yield windows
    for window in windows.values():
        window.close()


@pytest.fixture
def revisit(context: Any, kept_windows: dict[str, Window]) -> Iterator[Look]:
    """Looks at a viewer through the window that the tests before have left: quicker, where it does not matter."""

    def open_window(viewer: Any, place: str = "#/records") -> Window:
        if viewer.url not in kept_windows:
            kept_windows[viewer.url] = Window(context, viewer.url)
        window = kept_windows[viewer.url]
        window.go(place)
        return window

    yield open_window
    unexpected = [said for window in kept_windows.values() for said in window.unexpected]
    for window in kept_windows.values():
        window.forget()
    assert unexpected == []


@pytest.fixture(scope="session")
def data_folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("viewed")


@pytest.fixture(scope="session")
def shards(data_folder: Path) -> Path:
    """The mixed data set as three FFRecord files."""
    return mixed.write_ffrecord(data_folder / "photographs")


@pytest.fixture(scope="session")
def chunked(data_folder: Path) -> Path:
    """The mixed data set as one ArrayRecord file, eight records a chunk."""
    return mixed.write_array_record(data_folder / "photographs.array_record")


@pytest.fixture(scope="session")
def damaged(data_folder: Path, chunked: Path) -> Path:
    """The same with a chunk in the middle that broke."""
    return damage.flipped(chunked, data_folder / "damaged.array_record", at=chunked.stat().st_size // 3)


@pytest.fixture(scope="session")
def hostile_file(data_folder: Path) -> Path:
    path = data_folder / "hostile.ffr"
    with octavo.create(path) as writer:
        writer.write_many(hostile.records().values())
    return path


@pytest.fixture(scope="session")
def a_billion() -> billion.Billion:
    return billion.Billion()


@pytest.fixture(scope="module")
def shards_viewer(shared_view: View, shards: Path) -> Any:
    return shared_view(shards)


@pytest.fixture(scope="module")
def chunked_viewer(shared_view: View, chunked: Path) -> Any:
    return shared_view(chunked)


@pytest.fixture(scope="module")
def damaged_viewer(shared_view: View, damaged: Path) -> Any:
    return shared_view(damaged)


@pytest.fixture(scope="module")
def hostile_viewer(shared_view: View, hostile_file: Path) -> Any:
    return shared_view(hostile_file)
