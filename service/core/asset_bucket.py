"""Bucket in which assets are stored, in place of the data folder."""

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class AssetBucket:
    """A bucket of an S3-compatible store. boto3 finds the credentials: variables, a file or the machine's role."""

    name: str
    prefix: str = ""
    """Before the name of each object: empty, or with a slash at its end."""
    endpoint: str | None = None
    """The address of the store; None for Amazon's."""
    region: str | None = None
    links: bool = True
    """Whether players fetch files from the store itself, by signed links."""

    def __str__(self) -> str:
        return f"s3://{self.name}/{self.prefix}"
