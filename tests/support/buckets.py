"""A store of objects on loopback, as S3 has it: moto's server."""

from __future__ import annotations

import logging
import threading
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from typing import Any

import boto3
import httpx
import pytest
from moto.server import DomainDispatcherApplication, create_backend_app
from werkzeug.serving import BaseWSGIServer, make_server

from service.core.asset_bucket import AssetBucket
from tests.support.programs import free_port

NAME = "menu-assets"
CREDENTIALS = {"AWS_ACCESS_KEY_ID": "menukey", "AWS_SECRET_ACCESS_KEY": "menusecret"}


@dataclass
class ObjectStore:
    """A running store with an empty bucket."""

    address: str
    client: Any
    server: BaseWSGIServer | None = None
    by_link: list[dict[str, Any]] = field(default_factory=list)
    """The requests with a signed link, as WSGI has them."""
    refuses_links: bool = False
    """Whether links are answered as those that were forged or have expired."""

    def noting(self, answer: Any) -> Any:
        """The WSGI application with the requests noted."""

        def noted(request: dict[str, Any], start: Any) -> Any:
            if "X-Amz-Signature" in request["QUERY_STRING"]:
                self.by_link.append(request)
                if self.refuses_links:
                    start("403 Forbidden", [("Content-Type", "application/xml")])
                    return [b"<Error><Code>AccessDenied</Code></Error>"]
            return answer(request, start)

        return noted

    def stop(self) -> None:
        """From now on nobody listens."""
        assert self.server is not None
        self.server.shutdown()

    def bucket(self, prefix: str = "cafe/", *, links: bool = True) -> AssetBucket:
        return AssetBucket(NAME, prefix, self.address, "eu-central-1", links=links)

    @property
    def url(self) -> str:
        """The bucket as the setting names it."""
        return f"s3://{NAME}/cafe?endpoint={self.address}&region=eu-central-1"

    @property
    def keys(self) -> list[str]:
        return [one["Key"] for one in self.client.list_objects_v2(Bucket=NAME).get("Contents", ())]

    def put(self, key: str, content: bytes) -> None:
        self.client.put_object(Bucket=NAME, Key=key, Body=content)


@contextmanager
def object_store(monkeypatch: pytest.MonkeyPatch) -> Iterator[ObjectStore]:
    """A store whose credentials are in the environment."""
    logging.getLogger("werkzeug").setLevel(logging.ERROR)
    for name, value in {**CREDENTIALS, "AWS_EC2_METADATA_DISABLED": "true"}.items():
        monkeypatch.setenv(name, value)
    port = free_port()
    address = f"http://127.0.0.1:{port}"
    client = boto3.client("s3", endpoint_url=address, region_name="eu-central-1")
    store = ObjectStore(address, client)
    application = store.noting(DomainDispatcherApplication(create_backend_app))
    store.server = make_server("127.0.0.1", port, application, threaded=True)
    thread = threading.Thread(target=store.server.serve_forever)
    thread.start()
    try:
        # What is stored lives as long as this process.
        httpx.post(f"{address}/moto-api/reset").raise_for_status()
        client.create_bucket(Bucket=NAME, CreateBucketConfiguration={"LocationConstraint": "eu-central-1"})
        yield store
    finally:
        client.close()
        store.stop()
        thread.join()
