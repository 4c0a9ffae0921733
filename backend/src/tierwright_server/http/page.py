"""The web page: files of the build, and `index.html` for every path of its own."""

from pathlib import Path
from stat import S_ISREG

import anyio
from starlette.datastructures import Headers
from starlette.requests import Request
from starlette.responses import FileResponse, PlainTextResponse, Response
from starlette.staticfiles import NotModifiedResponse

_FOREVER = "public, max-age=31536000, immutable"
_ASK_AGAIN = "no-cache"
_HASHED_FOLDER = "assets"
_MISSING = (
    "The web page has not been built.\n"
    "hint: run `make run`, which builds it, or `sh scripts/build-page.sh`.\n"
)


class Page:
    """Serves one folder.

    Parameters
    ----------
    folder : Path
        The build: `index.html`, and files with a hash in their name under `assets/`.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder.resolve()

    async def serve(self, request: Request) -> Response:
        """Answer a path with its file, or with the page itself.

        A missing file with an extension is a 404: it would only hide a mistake to
        answer it with HTML.
        """
        path = request.path_params.get("path", "")
        found = self._resolve(path)
        if found is None and (
            path.startswith("assets/") or "." in path.rsplit("/")[-1]
        ):
            return PlainTextResponse("not found\n", status_code=404)
        file = found or self._folder / "index.html"
        try:
            stat = await anyio.Path(file).stat()
        except FileNotFoundError:
            return PlainTextResponse(_MISSING, status_code=503)
        hashed = found is not None and path.startswith(f"{_HASHED_FOLDER}/")
        response = FileResponse(
            file,
            stat_result=stat,
            headers={"Cache-Control": _FOREVER if hashed else _ASK_AGAIN},
        )
        asked = Headers(scope=request.scope).get("if-none-match", "")
        if response.headers["etag"] in [tag.strip() for tag in asked.split(",")]:
            return NotModifiedResponse(response.headers)
        return response

    def _resolve(self, path: str) -> Path | None:
        """Return the regular file that a path names inside the folder."""
        if not path or "\x00" in path:
            return None
        try:
            file = (self._folder / path).resolve()
            inside = file.is_relative_to(self._folder)
            return file if inside and S_ISREG(file.stat().st_mode) else None
        except OSError:
            return None
