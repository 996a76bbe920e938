"""Stores assets as objects of an S3-compatible bucket, so that several machines need no shared disk.

A PUT is atomic, so an object is complete or absent. boto3 is loaded only here, and only when a bucket is set. Timeouts
of the store are short, without boto3's retries: the caller gets the error and retries.
"""

import base64
import hashlib
import logging
from collections.abc import Generator, Iterator
from contextlib import closing, contextmanager
from pathlib import Path
from typing import Any, BinaryIO

from service.core.asset_bucket import AssetBucket
from service.core.missing import MissingLibraryError
from service.storage.asset_store import (
    CHUNK_BYTES,
    StoreUnavailableError,
    Upload,
    detect_full_disk,
    part_name,
    sweep_incoming,
)

LINK_SECONDS = 300
"""The time in which a download by a link has to begin."""
READ_SECONDS = 10
_DEFAULT_REGION = "us-east-1"
"""For stores with an endpoint of their own, most of which have no regions."""
_MISSING = frozenset({"404", "NoSuchKey", "NotFound"})

_log = logging.getLogger(__name__)


class BucketError(Exception):
    """Raised if the bucket cannot be used at all. The message is for the operator."""


class AssetObjects:
    """Objects of a bucket, and the folder of unfinished uploads. Raises BucketError and MissingLibraryError."""

    def __init__(self, bucket: AssetBucket, *, folder: Path) -> None:
        self._bucket = bucket
        self._incoming = folder / "incoming"
        for path in (folder, self._incoming):
            path.mkdir(mode=0o700, exist_ok=True)
        self._client = _client(bucket)

    def sweep(self) -> None:
        """Removes unfinished uploads of processes that have ended. Uploads in progress stay."""
        sweep_incoming(self._incoming)

    def upload(self) -> Upload:
        return Upload(incoming=self._incoming, keep=self._keep)

    def add(self, content: bytes) -> str:
        """Stores bytes of the service's own under their digest, unless they exist, and returns that."""
        digest = hashlib.sha256(content).hexdigest()
        if self.size(digest) != len(content):
            self._put(_file_key(digest), content, digest)
        return digest

    def add_file(self, path: Path, digest: str) -> None:
        """Stores a file whose digest is known."""
        with path.open("rb") as file:
            self._put(_file_key(digest), file, digest)

    def size(self, digest: str) -> int | None:
        """Returns the size of the asset in bytes; None if the bucket does not have it."""
        found = self._find("head_object", _file_key(digest))
        return None if found is None else int(found["ContentLength"])

    def read(self, digest: str, start: int, end: int) -> Generator[bytes]:
        """Yields the bytes from `start` up to, but without, `end`, in chunks."""
        if start >= end:
            return
        found = self._find("get_object", _file_key(digest), Range=f"bytes={start}-{end - 1}")
        if found is not None:
            with closing(found["Body"]) as body, _told():
                while chunk := body.read(CHUNK_BYTES):
                    yield chunk

    def place(self, digest: str, target: Path) -> None:
        """Copies the asset to this path, if the bucket has it."""
        found = self._find("get_object", _file_key(digest))
        if found is None:
            return
        with closing(found["Body"]) as body, target.open("wb") as file, detect_full_disk(), _told():
            while chunk := body.read(CHUNK_BYTES):
                file.write(chunk)

    def link(self, digest: str, *, media_type: str) -> str | None:
        """Signs an address at which the asset can be read for `LINK_SECONDS`; None if links are switched off."""
        if not self._bucket.links:
            return None
        wanted = {**self._named(_file_key(digest)), "ResponseContentType": media_type}
        with _told():
            return str(self._client.generate_presigned_url("get_object", Params=wanted, ExpiresIn=LINK_SECONDS))

    def thumbnail(self, name: str) -> bytes | None:
        return self._whole(_thumbnail_key(name))

    def keep_thumbnail(self, name: str, content: bytes) -> None:
        self._put(_thumbnail_key(name), content, hashlib.sha256(content).hexdigest())

    def remove(self, digest: str) -> None:
        """Removes the asset and its thumbnails."""
        self._remove_below(_thumbnail_key(f"{digest}-"))
        with _told():
            self._client.delete_object(**self._named(_file_key(digest)))

    def keep_part(self, upload: str, offset: int, content: bytes) -> None:
        """Stores the bytes of an upload that begin at `offset`."""
        self._put(_part_key(upload, offset), content, hashlib.sha256(content).hexdigest())

    def part(self, upload: str, offset: int) -> bytes | None:
        """Returns the part that begins at `offset`."""
        return self._whole(_part_key(upload, offset))

    def remove_parts(self, upload: str) -> None:
        self._remove_below(f"parts/{upload}/")

    def _whole(self, key: str) -> bytes | None:
        found = self._find("get_object", key)
        if found is None:
            return None
        with closing(found["Body"]) as body, _told():
            return bytes(body.read())

    def _remove_below(self, prefix: str) -> None:
        """Removes the objects whose keys begin with the prefix; one response lists a thousand."""
        with _told():
            while True:
                listed = self._client.list_objects_v2(Bucket=self._bucket.name, Prefix=self._bucket.prefix + prefix)
                keys = [one["Key"] for one in listed.get("Contents", ())]
                for key in keys:
                    self._client.delete_object(Bucket=self._bucket.name, Key=key)
                if not listed.get("IsTruncated"):
                    return

    def _keep(self, file: BinaryIO, _temporary: Path, digest: str) -> None:
        file.seek(0)
        self._put(_file_key(digest), file, digest)

    def _put(self, key: str, content: bytes | BinaryIO, digest: str) -> None:
        # The store refuses bytes that were damaged on the way to it.
        checksum = base64.b64encode(bytes.fromhex(digest)).decode()
        with _told():
            self._client.put_object(**self._named(key), Body=content, ChecksumSHA256=checksum)

    def _find(self, call: str, key: str, **more: str) -> dict[str, Any] | None:
        """Returns the response; None if there is no such object."""
        from botocore.exceptions import ClientError

        with _told():
            try:
                found: dict[str, Any] = getattr(self._client, call)(**self._named(key), **more)
            except ClientError as error:
                if error.response.get("Error", {}).get("Code") in _MISSING:
                    return None
                raise
            return found

    def _named(self, key: str) -> dict[str, str]:
        return {"Bucket": self._bucket.name, "Key": self._bucket.prefix + key}


def _client(bucket: AssetBucket) -> Any:
    try:
        import boto3
        from botocore.config import Config
    except ImportError:
        raise MissingLibraryError(
            "a bucket of assets", "boto3", debian="python3-boto3", pip="menu-player[s3]"
        ) from None
    session = boto3.session.Session(region_name=bucket.region)
    region = session.region_name or (None if bucket.endpoint is None else _DEFAULT_REGION)
    return session.client(
        "s3",
        region_name=region,
        endpoint_url=bucket.endpoint,
        config=Config(
            signature_version="s3v4",
            s3={"addressing_style": "auto" if bucket.endpoint is None else "path"},
            connect_timeout=3,
            read_timeout=READ_SECONDS,
            retries={"total_max_attempts": 1},
            max_pool_connections=16,
            # Stores other than Amazon's do not know its newer checksums.
            request_checksum_calculation="when_required",
            response_checksum_validation="when_required",
        ),
    )


@contextmanager
def _told() -> Iterator[None]:
    """Converts errors of the store or of the connection to it to StoreUnavailableError, and logs them."""
    from botocore.exceptions import BotoCoreError, ClientError

    try:
        yield
    except (BotoCoreError, ClientError) as error:
        _log.warning("the store of assets cannot be used: %s", error)
        raise StoreUnavailableError(str(error)) from error


def _file_key(digest: str) -> str:
    return f"files/{digest}"


def _part_key(upload: str, offset: int) -> str:
    return f"parts/{upload}/{part_name(offset)}"


def _thumbnail_key(name: str) -> str:
    return f"thumbnails/{name}"
