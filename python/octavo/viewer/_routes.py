"""The addresses of the server: parameters in, JSON, media and the page out. Work is done in threads."""

from __future__ import annotations

import functools
import importlib.resources
import json
import logging
from collections.abc import Callable
from typing import Any, TypeVar

from starlette.applications import Starlette
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response, StreamingResponse
from starlette.routing import Route

from octavo.errors import AlreadyExistsError, OctavoError, OptionError, RecordIndexError
from octavo.viewer import _overview
from octavo.viewer._events import Work
from octavo.viewer._export import choices, export
from octavo.viewer._find import Query, find, sample
from octavo.viewer._guard import PAGE_POLICY
from octavo.viewer._opened import Opened
from octavo.viewer._ranges import ranged
from octavo.viewer._screen import PART_BYTES, Screen
from octavo.viewer._stream import Streams
from octavo.viewer._threads import Threads
from octavo.viewer._verify import verify
from octavo.viewer.decoders import Decoders

_Asked = TypeVar("_Asked")
_Answer = TypeVar("_Answer")

_log = logging.getLogger("octavo.viewer")

_THREADS = 6
_MOST_CARDS = 500
_MOST_SHARDS = 500
_MOST_SAMPLED = 10_000
_MOST_DIGITS = 18  # of a number in an address
_CACHED = "private, max-age=3600"  # another viewer has another token, and so other addresses
_TYPES = {".css": "text/css", ".js": "text/javascript", ".svg": "image/svg+xml"}


class Routes:
    """What a viewer answers."""

    def __init__(self, opened: Opened, decoders: Decoders, streams: Streams, export_folder: str) -> None:
        self._opened = opened
        self._decoders = decoders
        self._streams = streams
        self._export_folder = export_folder
        self._screen = Screen(opened, decoders)
        self._threads = Threads(_THREADS)
        self._page = _page_files()

    def app(self) -> Starlette:
        """The application."""
        gets: dict[str, Callable[[Request], Any]] = {
            "/api/record/{number}/image": self.image,
            "/api/record/{number}/media/{place}": self.media,
            "/api/record/{number}/part": self.part,
            "/api/record/{number}/download": self.download,
        }
        answers: dict[str, Callable[[Request], Any]] = {
            "/api/about": self.about,
            "/api/records": self.records,
            "/api/record/{number}": self.record,
            "/api/file": lambda _: _overview.file_facts(self._opened),
            "/api/shards": self.shards,
            "/api/chunks": self.chunks,
            "/api/sizes": lambda _: _overview.sizes(self._opened),
            "/api/sample": self.sample,
        }
        works: dict[str, Callable[[dict[str, Any]], Work]] = {
            "/api/find": lambda asked: find(self._opened, Query.of(asked)),
            "/api/verify": lambda _: verify(self._opened),
            "/api/export": lambda asked: export(self._opened, self._export_folder, asked),
        }
        # The page is in memory: a thread would take longer than the answer.
        routes = [Route("/", self.index, methods=["GET"]), Route("/page/{path:path}", self.asset, methods=["GET"])]
        routes += [Route(path, self._threaded(get), methods=["GET"]) for path, get in gets.items()]
        routes += [Route(path, self._threaded(_as_json(get)), methods=["GET"]) for path, get in answers.items()]
        routes += [Route(path, self._streamed(start), methods=["POST"]) for path, start in works.items()]
        handlers: Any = {HTTPException: _tell_http, OctavoError: _tell, OSError: _tell}
        app = Starlette(routes=routes, exception_handlers=handlers)
        app.router.redirect_slashes = False  # it would leave out the token
        return app

    def close(self, patience_s: float) -> None:
        """Wait a while for answers that are under way, and begin no others."""
        self._threads.close(patience_s)

    async def index(self, _request: Request) -> Response:
        """The page."""
        return Response(
            self._page["index.html"], media_type="text/html", headers={"content-security-policy": PAGE_POLICY}
        )

    async def asset(self, request: Request) -> Response:
        """A file of the page. They are known beforehand: no path leads to any other."""
        path = request.path_params["path"]
        content = self._page.get(path)
        media_type = _TYPES.get("." + path.rpartition(".")[2])
        if content is None or media_type is None:
            raise HTTPException(404, "the page has no such file")
        return Response(content, media_type=media_type, headers={"cache-control": _CACHED})

    def about(self, _request: Request) -> dict[str, Any]:
        """What the page needs first."""
        decoders = [{"name": name, "title": title} for name, title in self._decoders.names]
        offered = choices(self._opened, self._export_folder)
        return {**_overview.about(self._opened), "decoders": decoders, "export": offered}

    def records(self, request: Request) -> dict[str, Any]:
        """Cards of a screen."""
        listed = request.query_params.get("numbers")
        if listed is not None:
            numbers = [self._record_number(text) for text in listed.split(",") if text]
        else:
            start, count = _number(request, "start", 0), _number(request, "count", 50)
            numbers = list(range(start, min(start + min(count, _MOST_CARDS), len(self._opened.reader))))
        if len(numbers) > _MOST_CARDS:
            raise HTTPException(400, f"at most {_MOST_CARDS} records are shown at once")
        return {"records": self._screen.cards(numbers, self._decoder(request))}

    def record(self, request: Request) -> dict[str, Any]:
        """A record."""
        return self._screen.record(self._asked_record(request), self._decoder(request))

    def image(self, request: Request) -> Response:
        """The image on a card."""
        image = self._screen.thumbnail(self._asked_record(request), self._decoder(request))
        if image is None:
            raise HTTPException(404, "the record has no image")
        return ranged(request, image.content, image.media_type)

    def media(self, request: Request) -> Response:
        """An image or a sound."""
        place = _digits(request.path_params["place"], "place")
        found = self._screen.medium(self._asked_record(request), place, self._decoder(request))
        if found is None:
            raise HTTPException(404, "the record has no such content")
        return ranged(request, *found)

    def part(self, request: Request) -> Response:
        """Some bytes of a record."""
        length = min(_number(request, "length", PART_BYTES), PART_BYTES)
        part = self._screen.part(self._asked_record(request), _number(request, "offset", 0), length)
        if part is None:
            raise HTTPException(404, "the record cannot be read")
        return Response(part, media_type="application/octet-stream")

    def download(self, request: Request) -> Response:
        """All bytes of a record, as a file."""
        found = self._screen.download(self._asked_record(request))
        if found is None:
            raise HTTPException(404, "the record cannot be read here; 'octavo get' may")
        headers = {
            "content-disposition": f'attachment; filename="{found.name}"',
            "content-length": str(found.size),  # so that what breaks off does not look whole
        }
        return StreamingResponse(found.parts, media_type="application/octet-stream", headers=headers)

    def shards(self, request: Request) -> dict[str, Any]:
        """Some of the files."""
        count = min(_number(request, "count", 100), _MOST_SHARDS)
        return _overview.shards(self._opened, _number(request, "start", 0), count)

    def chunks(self, request: Request) -> dict[str, Any]:
        """The chunks of a file."""
        file = _number(request, "file", 0)
        if file >= len(self._opened.reader.paths):
            raise HTTPException(404, "there is no such file")
        return _overview.chunks(self._opened, file)

    def sample(self, request: Request) -> dict[str, Any]:
        """Records at random."""
        count, seed = _number(request, "count", 100), _number(request, "seed", 0)
        return {"numbers": sample(self._opened, min(count, _MOST_SAMPLED), seed)}

    def _asked_record(self, request: Request) -> int:
        return self._record_number(request.path_params["number"])

    def _record_number(self, text: str) -> int:
        number = _digits(text, "the number of a record")
        if number >= len(self._opened.reader):
            raise HTTPException(404, f"there is no record {number:,}")
        return number

    def _decoder(self, request: Request) -> str | None:
        name = request.query_params.get("as") or None
        if name is not None and not self._screen.has_decoder(name):
            raise HTTPException(400, "there is no decoder of this name")
        return name

    def _threaded(self, get: Callable[[Request], Response]) -> Callable[[Request], Any]:
        @functools.wraps(get)
        async def answer(request: Request) -> Response:
            return await self._in_thread(get, request)

        return answer

    async def _in_thread(self, call: Callable[[_Asked], _Answer], asked: _Asked) -> _Answer:
        try:
            return await self._threads.run(call, asked)
        except (HTTPException, OctavoError, OSError):
            raise
        except Exception as error:
            _log.exception("a request has failed")
            raise HTTPException(500, "an internal error; the terminal says more") from error

    def _streamed(self, start: Callable[[dict[str, Any]], Work]) -> Callable[[Request], Any]:
        async def answer(request: Request) -> Response:
            try:
                asked = json.loads(await request.body())
            except ClientDisconnect:
                return Response(status_code=400)
            except (ValueError, RecursionError) as error:
                raise HTTPException(400, "the body is no JSON") from error
            if not isinstance(asked, dict):
                raise HTTPException(400, "the body is no object of JSON")
            work = await self._in_thread(start, asked)
            return StreamingResponse(self._streams.start(work), media_type="application/x-ndjson")

        return answer


def _json_response(value: Any, status: int = 200) -> Response:
    """In ASCII: names of files may be no text, and JSON can still escape them."""
    content = json.dumps(value, allow_nan=False, separators=(",", ":")).encode()
    return Response(content, status, media_type="application/json")


def _as_json(get: Callable[[Request], Any]) -> Callable[[Request], Response]:
    return lambda request: _json_response(get(request))


def _tell_http(_request: Request, error: HTTPException) -> Response:
    return _json_response({"error": error.detail}, error.status_code)


def _tell(_request: Request, error: Exception) -> Response:
    statuses = {AlreadyExistsError: 409, OptionError: 400, RecordIndexError: 404}
    status = next((status for kind, status in statuses.items() if isinstance(error, kind)), 500)
    return _json_response({"error": str(error) or type(error).__name__}, status)


def _number(request: Request, name: str, default: int) -> int:
    text = request.query_params.get(name)
    return default if text is None else _digits(text, name)


def _digits(text: str, what: str) -> int:
    if not (text.isascii() and text.isdigit()) or len(text) > _MOST_DIGITS:
        raise HTTPException(400, f"{what} is no number")
    return int(text)


def _page_files() -> dict[str, bytes]:
    """All files of the page, by their paths: there are few, and nothing else can be asked for."""
    found: dict[str, bytes] = {}
    waiting = [("", importlib.resources.files("octavo.viewer") / "page")]
    while waiting:
        prefix, folder = waiting.pop()
        for entry in folder.iterdir():
            if entry.is_dir():
                waiting.append((f"{prefix}{entry.name}/", entry))
            else:
                found[prefix + entry.name] = entry.read_bytes()
    return found
