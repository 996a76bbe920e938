"""Writes a bill of materials, SPDX 2.3 in JSON: `python3 packaging/sbom.py VERSION FILE...`, into FILE.spdx.json each.

A FILE is a Debian package, a wheel or an sdist, or a disk image with the packages that are installed in it. The
licences are those of Debian's copyright files, as far as a program can read them, and of the wheel's metadata. With
SOURCE_DATE_EPOCH the same files give the same bytes.
"""

from __future__ import annotations

import json
import os
import re
import subprocess
import sys
import tarfile
import tempfile
import time
import zipfile
from collections.abc import Iterator
from datetime import UTC, datetime
from pathlib import Path
from typing import Any, NamedTuple
from urllib.parse import quote

from compare import extract, partitions, sha256, unpacked

NOTHING_SAID = "NOASSERTION"
FAMILY = re.compile(r"(AGPL|GFDL|GPL|LGPL)-(\d)(\.\d)?(?:\.0)?(\+)?")
"""Debian's names of GNU's licences."""

NAMES = {
    "Apache-2": "Apache-2.0",
    "BSD-2-clause": "BSD-2-Clause",
    "BSD-3-clause": "BSD-3-Clause",
    "BSD-4-clause": "BSD-4-Clause",
    "Expat": "MIT",
    "zlib": "Zlib",
}
"""SPDX's names of licences that Debian calls otherwise."""

SAME = {
    *("0BSD", "Apache-2.0", "Artistic-2.0", "BSL-1.0", "CC-BY-3.0", "CC-BY-4.0", "CC-BY-SA-3.0", "CC-BY-SA-4.0"),
    *("CC0-1.0", "FTL", "ISC", "MIT", "MPL-1.1", "MPL-2.0", "OFL-1.1", "Unicode-3.0", "Unlicense", "Zlib", "curl"),
}
"""Names that both have."""


class Package(NamedTuple):
    """A Debian package, as its control fields say."""

    name: str
    version: str
    architecture: str
    maintainer: str
    licences: tuple[str, ...]
    """The names in its copyright file; empty where no program can read it."""


def main(version: str, files: list[Path]) -> None:
    for file in files:
        document = bill(version, file)
        file.with_name(f"{file.name}.spdx.json").write_text(json.dumps(document, indent=1) + "\n", encoding="utf-8")


def bill(version: str, file: Path) -> dict[str, Any]:
    """The document of one file."""
    digest, unknown = sha256(file), dict[str, str]()
    root: dict[str, Any] = {"SPDXID": "SPDXRef-file", "name": file.name, "versionInfo": version}
    if file.suffix == ".deb":
        packages: list[Package] = []
        root = {**root, **described(of_file(file), unknown)}
    elif file.suffix in {".whl", ".gz"}:
        packages = []
        root = {**root, **of_python(file)}
    else:
        packages = of_image(file)
        root |= {"licenseDeclared": NOTHING_SAID, "supplier": NOTHING_SAID}
    root |= {"packageFileName": file.name, "checksums": [{"algorithm": "SHA256", "checksumValue": digest}]}
    contained = [{"SPDXID": f"SPDXRef-{number}", **described(each, unknown)} for number, each in enumerate(packages, 1)]
    made = datetime.fromtimestamp(int(os.environ.get("SOURCE_DATE_EPOCH", time.time())), UTC)
    return {
        "spdxVersion": "SPDX-2.3",
        "dataLicense": "CC0-1.0",
        "SPDXID": "SPDXRef-DOCUMENT",
        "name": file.name,
        "documentNamespace": f"https://spdx.org/spdxdocs/{quote(file.name)}-{digest[:32]}",
        "creationInfo": {"created": f"{made:%Y-%m-%dT%H:%M:%SZ}", "creators": [f"Tool: menu-player-sbom-{version}"]},
        "packages": [
            {
                "downloadLocation": NOTHING_SAID,
                "filesAnalyzed": False,
                "licenseConcluded": NOTHING_SAID,
                "copyrightText": NOTHING_SAID,
                **each,
            }
            for each in (root, *contained)
        ],
        "hasExtractedLicensingInfos": [
            {"licenseId": licence, "name": name, "extractedText": f"Debian's copyright files name it: {name}"}
            for licence, name in sorted(unknown.items())
        ],
        "relationships": [
            relationship("SPDXRef-DOCUMENT", "DESCRIBES", "SPDXRef-file"),
            *(relationship("SPDXRef-file", "CONTAINS", str(each["SPDXID"])) for each in contained),
        ],
    }


def relationship(one: str, kind: str, other: str) -> dict[str, str]:
    return {"spdxElementId": one, "relationshipType": kind, "relatedSpdxElement": other}


def described(package: Package, unknown: dict[str, str]) -> dict[str, Any]:
    """Describe a package. Names of licences that SPDX does not know are added to `unknown`, by their references."""
    locator = f"pkg:deb/debian/{quote(package.name)}@{quote(package.version)}?arch={package.architecture}"
    return {
        "name": package.name,
        "versionInfo": package.version,
        "supplier": f"Organization: {package.maintainer}",
        "licenseDeclared": " AND ".join(expressions(package.licences, unknown)) or NOTHING_SAID,
        "externalRefs": [
            {"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": locator}
        ],
    }


def expressions(licences: tuple[str, ...], unknown: dict[str, str]) -> Iterator[str]:
    for licence in licences:
        parts = re.split(r"\s+(or|and)\s+", licence)
        if "," in licence or {"or", "and"} <= {*parts[1::2]}:
            # Debian's commas are brackets: such a line stands as it is.
            parts = [licence]
        words = [spdx_name(part, unknown) if at % 2 == 0 else part.upper() for at, part in enumerate(parts)]
        yield f"({' '.join(words)})" if len(words) > 1 else words[0]


def spdx_name(licence: str, unknown: dict[str, str]) -> str:
    """SPDX's name of a licence, or a reference to Debian's."""
    if found := FAMILY.fullmatch(licence):
        family, major, minor, later = found.groups()
        return f"{family}-{major}{minor or '.0'}-{'or-later' if later else 'only'}"
    if (named := NAMES.get(licence, licence)) in SAME or named in NAMES.values():
        return named
    reference = "LicenseRef-" + re.sub(r"[^A-Za-z0-9.]+", "-", licence).strip("-")
    unknown[reference] = licence
    return reference


def licences_in(copyright_file: str) -> tuple[str, ...]:
    """The licences that a copyright file names for files, if it is written for programs."""
    if not copyright_file.startswith("Format:"):
        return ()
    paragraphs = re.split(r"\n\s*\n", copyright_file)
    of_files = "\n".join(each for each in paragraphs if re.search(r"^Files:", each, re.MULTILINE))
    return tuple(sorted({*re.findall(r"^License:[ \t]*(\S.*?)[ \t]*$", of_files, re.MULTILINE)}))


def fields(paragraph: str) -> dict[str, str]:
    return dict(re.findall(r"^([A-Za-z-]+): (.*)$", paragraph, re.MULTILINE))


def package(about: dict[str, str], copyright_file: str) -> Package:
    return Package(
        about["Package"],
        about["Version"],
        about["Architecture"],
        re.sub(r"\s*<.*", "", about["Maintainer"]),
        licences_in(copyright_file),
    )


def of_file(file: Path) -> Package:
    """The package that a file holds."""
    with tempfile.TemporaryDirectory(prefix="sbom-") as folder:
        subprocess.run(["/usr/bin/dpkg-deb", "--raw-extract", file, folder], check=True)
        about = fields((Path(folder) / "DEBIAN/control").read_text(encoding="utf-8"))
        return package(about, copyright_of(about["Package"], Path(folder) / "usr/share/doc"))


def of_python(file: Path) -> dict[str, Any]:
    """Describe a wheel or an sdist, by its metadata. What it needs is not in it."""
    if file.suffix == ".whl":
        with zipfile.ZipFile(file) as wheel:
            [name] = [each for each in wheel.namelist() if each.endswith(".dist-info/METADATA")]
            metadata = wheel.read(name)
    else:
        with tarfile.open(file) as sdist:
            found = sdist.extractfile(f"{file.name.removesuffix('.tar.gz')}/PKG-INFO")
            metadata = found.read() if found is not None else b""
    about = fields(metadata.decode().partition("\n\n")[0])
    locator = f"pkg:pypi/{about['Name']}@{quote(about['Version'])}"
    return {
        "name": about["Name"],
        "versionInfo": about["Version"],
        "supplier": f"Organization: {about['Maintainer']}",
        "licenseDeclared": about["License-Expression"],
        "externalRefs": [
            {"referenceCategory": "PACKAGE-MANAGER", "referenceType": "purl", "referenceLocator": locator}
        ],
    }


def of_image(image: Path) -> list[Package]:
    """The packages that are installed in an image: on the largest of its partitions."""
    with tempfile.TemporaryDirectory(prefix="sbom-", dir="/var/tmp") as folder:
        disk = unpacked(image, Path(folder) / "disk")
        start, _ = max(partitions(disk), key=lambda each: each[1])
        for name in ("dpkg", "doc"):
            extract(disk, start, {"dpkg": "/var/lib/dpkg", "doc": "/usr/share/doc"}[name], Path(folder) / name)
        status = (Path(folder) / "dpkg/dpkg/status").read_text(encoding="utf-8")
        installed = [
            about for each in status.split("\n\n") if (about := fields(each)).get("Status", "").endswith(" installed")
        ]
        documents = Path(folder) / "doc/doc"
        return [package(about, copyright_of(about["Package"], documents)) for about in installed]


def copyright_of(name: str, documents: Path) -> str:
    """The text of a package's copyright file; empty where it has none."""
    try:
        return (documents / name / "copyright").read_text(encoding="utf-8", errors="replace")
    except OSError:
        return ""


if __name__ == "__main__":
    if len(sys.argv) < 3:
        sys.exit(__doc__)
    main(sys.argv[1], [Path(each) for each in sys.argv[2:]])
