"""The least that a read of items can be: a FastAPI route that reads the same rows of the same database, as a program.

`python -m benchmarks.bare_route DATABASE PORT`. It knows no keys, rights, rates, tags, problems or log lines, and shows
the columns as they are stored. benchmarks/reads.py measures the service beside it.
"""

from __future__ import annotations

import sqlite3
import sys
import threading

import uvicorn
from fastapi import FastAPI
from starlette.responses import JSONResponse, Response


def bare_app(database: str) -> FastAPI:
    """The application."""
    app = FastAPI()
    threads = threading.local()

    def connection() -> sqlite3.Connection:
        if not hasattr(threads, "connection"):
            threads.connection = sqlite3.connect(database)
            threads.connection.row_factory = sqlite3.Row
        found: sqlite3.Connection = threads.connection
        return found

    @app.get("/v1/content/items")
    def list_items(limit: int = 50) -> Response:
        rows = connection().execute("SELECT * FROM items ORDER BY number LIMIT ?", (limit,)).fetchall()
        return JSONResponse({"data": [dict(row) for row in rows]})

    @app.get("/v1/content/items/{item}")
    def get_item(item: str) -> Response:
        row = connection().execute("SELECT * FROM items WHERE id = ?", (item,)).fetchone()
        return JSONResponse(dict(row))

    return app


if __name__ == "__main__":
    uvicorn.run(bare_app(sys.argv[1]), host="127.0.0.1", port=int(sys.argv[2]), access_log=False, log_level="error")
