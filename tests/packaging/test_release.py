"""A release: two builds are compared, each file has a bill of materials, and the repository can be built again."""

from __future__ import annotations

import json
import os
import shutil
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Mapping
from pathlib import Path
from typing import Any

import pytest

from tests.kiosk.repository import key

PACKAGING = Path(__file__).parents[2] / "packaging"
COMMITTED = "1790000000"
COPYRIGHT = """\
Format: https://www.debian.org/doc/packaging-manuals/copyright-format/1.0/

Files: *
Copyright: 2026 Somebody
License: GPL-2+ or Expat

Files: data/*
License: Beerware

License: Beerware
 Anything goes.
"""


def run(*command: object, at: Path | None = None, **environment: str) -> subprocess.CompletedProcess[str]:
    words = [str(word) for word in command]
    return subprocess.run(
        words, cwd=at, env={**os.environ, **environment}, stdin=subprocess.DEVNULL, capture_output=True, text=True
    )


def package(folder: Path, name: str = "menu-sample", files: Mapping[str, str] = {}) -> Path:
    """A Debian package with these files, in the folder."""
    tree = folder / "tree"
    for path, text in {"DEBIAN/control": control(name), **files}.items():
        (tree / path).parent.mkdir(parents=True, exist_ok=True)
        (tree / path).write_text(text)
        (tree / path).chmod(0o755)
    made = folder / f"{name}_1_all.deb"
    done = run("dpkg-deb", "--root-owner-group", "--build", tree, made, SOURCE_DATE_EPOCH=COMMITTED)
    assert done.returncode == 0, done.stderr
    shutil.rmtree(tree)
    return made


def control(name: str, **more: str) -> str:
    fields = {
        "Package": name,
        **more,
        "Version": "1:2.0+1",
        "Architecture": "all",
        "Maintainer": "Some Body <some@example.com>",
        "Description": "sample",
    }
    return "".join(f"{field}: {value}\n" for field, value in fields.items())


def image(folder: Path, files: Mapping[str, str]) -> Path:
    """A disk image with a boot partition and a root with these files, in the folder."""
    tree, disk = folder / "root", folder / "menu-board-pc.img"
    for path, text in files.items():
        (tree / path).parent.mkdir(parents=True, exist_ok=True)
        (tree / path).write_text(text)
    for path in (tree, *tree.rglob("*")):
        os.utime(path, (0, 0))
    disk.write_bytes(b"")
    os.truncate(disk, 24 << 20)
    table = f"label: gpt\nlabel-id: {ID}\nstart=1MiB, size=4MiB, uuid={ID}\nstart=5MiB, size=18MiB, uuid={ID[:-1]}4\n"
    subprocess.run(["/usr/sbin/sfdisk", "--quiet", disk], input=table, text=True, check=True, capture_output=True)
    made = folder / "part"
    made.write_bytes(b"")
    os.truncate(made, 18 << 20)
    options = ("-q", "-F", "-U", ID, "-E", f"hash_seed={ID}", "-d", tree)
    done = run("/usr/sbin/mkfs.ext4", *options, made, E2FSPROGS_FAKE_TIME=COMMITTED)
    assert done.returncode == 0, done.stderr
    with disk.open("r+b") as file:
        file.seek(5 << 20)
        file.write(made.read_bytes())
    made.unlink()
    shutil.rmtree(tree)
    return disk


ID = "6b0c5d3e-0000-4000-8000-0000000000e3"


def compared(first: Path, second: Path) -> tuple[int, str]:
    done = run(sys.executable, PACKAGING / "compare.py", first, second)
    assert done.stderr == ""
    return done.returncode, done.stdout


@pytest.fixture
def builds(tmp_path: Path) -> tuple[Path, Path]:
    """Two folders."""
    folders = tmp_path / "first", tmp_path / "second"
    for folder in folders:
        folder.mkdir()
    return folders


def bill(file: Path) -> dict[str, Any]:
    done = run(sys.executable, PACKAGING / "sbom.py", "2.0", file, SOURCE_DATE_EPOCH=COMMITTED)
    assert (done.returncode, done.stderr) == (0, "")
    found: dict[str, Any] = json.loads(file.with_name(f"{file.name}.spdx.json").read_text())
    return found


def test_two_builds_of_the_same_bytes_are_the_same(builds: tuple[Path, Path]) -> None:
    for folder in builds:
        package(folder, files={"usr/lib/a": "1"})
        (folder / "apt").mkdir()
        (folder / "apt/Packages").write_text("")
    assert compared(*builds) == (0, "2 files, the same in both builds\n")


def test_what_differs_in_a_package_is_named(builds: tuple[Path, Path]) -> None:
    for folder, text in zip(builds, "12", strict=True):
        package(folder, files={"usr/lib/a": text, "usr/lib/b": "same", "DEBIAN/postinst": f"#!/bin/sh\n# {text}\n"})
    (builds[0] / "install.sh").write_text("")
    status, said = compared(*builds)
    names = [line.split(":")[0] for line in said.splitlines()]
    assert (status, names) == (1, ["install.sh", "menu-sample_1_all.deb", "  DEBIAN/postinst", "  usr/lib/a"])
    assert "/ missing" in said.splitlines()[0]


def test_what_differs_in_an_image_is_named(builds: tuple[Path, Path]) -> None:
    for folder, text in zip(builds, "12", strict=True):
        image(folder, {"etc/hostname": "board", "var/log/made": text})
    status, said = compared(*builds)
    names = [line.split(":")[0] for line in said.splitlines()]
    assert (status, names) == (1, ["menu-board-pc.img", "  partition 2", "    var/log/made"])


def test_a_file_with_countless_differences_is_cut_short(builds: tuple[Path, Path]) -> None:
    for folder, text in zip(builds, "12", strict=True):
        package(folder, files={f"usr/lib/{number}": text for number in range(60)})
    _, said = compared(*builds)
    assert len(said.splitlines()) == 52
    assert said.endswith("  and 10 more\n")


def test_a_package_s_bill_names_its_version_and_its_licences(tmp_path: Path) -> None:
    made = package(tmp_path, files={"usr/share/doc/menu-sample/copyright": COPYRIGHT})
    document = bill(made)
    (about,) = document["packages"]
    assert (document["spdxVersion"], document["creationInfo"]["created"]) == ("SPDX-2.3", "2026-09-21T14:13:20Z")
    assert (about["name"], about["versionInfo"]) == ("menu-sample", "1:2.0+1")
    assert about["licenseDeclared"] == "LicenseRef-Beerware AND (GPL-2.0-or-later OR MIT)"
    assert about["supplier"] == "Organization: Some Body"
    assert about["externalRefs"][0]["referenceLocator"] == "pkg:deb/debian/menu-sample@1%3A2.0%2B1?arch=all"
    assert [each["licenseId"] for each in document["hasExtractedLicensingInfos"]] == ["LicenseRef-Beerware"]
    assert bill(made) == document


METADATA = """\
Metadata-Version: 2.4
Name: menu-sample
Version: 2.0+1
Maintainer: Some Body
License-Expression: Apache-2.0

License-Expression: only in the description
"""


def test_a_wheel_s_and_an_sdist_s_bill_names_version_and_licence(tmp_path: Path) -> None:
    wheel, sdist = tmp_path / "menu_sample-2.0+1-py3-none-any.whl", tmp_path / "menu_sample-2.0+1.tar.gz"
    with zipfile.ZipFile(wheel, "w") as file:
        file.writestr("menu_sample-2.0+1.dist-info/METADATA", METADATA)
    (tmp_path / "PKG-INFO").write_text(METADATA)
    with tarfile.open(sdist, "w:gz") as archive:
        archive.add(tmp_path / "PKG-INFO", "menu_sample-2.0+1/PKG-INFO")
    for each in (wheel, sdist):
        (about,) = bill(each)["packages"]
        assert (about["name"], about["versionInfo"]) == ("menu-sample", "2.0+1")
        assert about["licenseDeclared"] == "Apache-2.0"
        assert about["externalRefs"][0]["referenceLocator"] == "pkg:pypi/menu-sample@2.0%2B1"


def test_an_image_s_bill_names_what_is_installed_in_it(tmp_path: Path) -> None:
    status = [
        control("whole", Status="install ok installed"),
        control("silent", Status="hold ok installed"),
        control("gone", Status="deinstall ok config-files"),
    ]
    files = {
        "var/lib/dpkg/status": "\n".join(status),
        "usr/share/doc/whole/copyright": COPYRIGHT,
        "usr/share/doc/silent/copyright": "All rights to everybody.",
    }
    document = bill(image(tmp_path, files))
    board, *contained = document["packages"]
    licences = {each["name"]: each["licenseDeclared"] for each in contained}
    assert (board["name"], board["versionInfo"]) == ("menu-board-pc.img", "2.0")
    assert licences == {"whole": "LicenseRef-Beerware AND (GPL-2.0-or-later OR MIT)", "silent": "NOASSERTION"}
    kinds = [each["relationshipType"] for each in document["relationships"]]
    assert kinds == ["DESCRIBES", "CONTAINS", "CONTAINS"]


def test_an_image_that_is_cut_off_is_named(tmp_path: Path) -> None:
    cut = image(tmp_path, {"var/lib/dpkg/status": ""})
    os.truncate(cut, 22 << 20)
    done = run(sys.executable, PACKAGING / "sbom.py", "2.0", cut)
    assert done.returncode == 1
    assert "menu-board-pc.img is cut off or broken: " in done.stderr


@pytest.mark.parametrize("committed", ["1790000000", "4000000000"], ids=["before the key", "after the key"])
def test_the_same_packages_give_the_same_signed_repository(tmp_path: Path, committed: str) -> None:
    gpg = key(tmp_path, "key")
    made = []
    for name in ("first", "second"):
        checkout = tmp_path / name
        (checkout / "packaging").mkdir(parents=True)
        (checkout / "dist").mkdir()
        for script in ("build-repository", "install.sh"):
            shutil.copy(PACKAGING / script, checkout / "packaging")
        package(checkout / "dist")
        environment = {"GNUPGHOME": gpg[2], "MENU_REPOSITORY_KEY": "key", "SOURCE_DATE_EPOCH": committed}
        done = run(checkout / "packaging/build-repository", **environment)
        assert done.returncode == 0, done.stderr
        made.append(checkout / "dist/apt")
    signed = [(one / "InRelease").read_text() for one in made]
    assert compared(*made) == (0, "6 files, the same in both builds\n"), signed
    # Without --quiet: it warns of signatures of days to come, and calls them good.
    assert "Good signature" in run(*gpg[:4], "--verify", made[0] / "InRelease", LC_ALL="C").stderr


STAND_INS = {
    "build-deb": "mkdir -p dist/tree/DEBIAN; cp control dist/tree/DEBIAN; "
    "dpkg-deb --root-owner-group --build dist/tree dist/menu-player-core_1_all.deb >&2; rm -r dist/tree",
    "build-repository": "true",
    "build-wheel": "true",
    "build-client": "true",
    "debian-root": "true",
    "build-image": 'mkdir -p "$MENU_ROOTS/image-tools-$1"; touch "$MENU_ROOTS/$(basename "$PWD")"; {image}',
    "pack-image": '[ -d "$1" ]; mv "$2" "$3"',
    "sbom.py": "",
}
"""Scripts that are tried elsewhere; they need hours and a Debian 13."""


def checkout_of(folder: Path, image: str = 'echo disk >"$3"') -> Path:
    """A commit whose packages and images are made at once."""
    checkout = folder / "checkout"
    shutil.copytree(PACKAGING, checkout / "packaging", ignore=shutil.ignore_patterns("sample", "debian", "__pycache__"))
    for script, text in STAND_INS.items():
        shebang = "" if script.endswith(".py") else "#!/bin/bash\nset -euo pipefail\n"
        (checkout / "packaging" / script).write_text(shebang + text.replace("{image}", image) + "\n")
    (checkout / "control").write_text(control("menu-player-core"))
    git = ("git", "-C", checkout, "-c", "user.name=Test", "-c", "user.email=test@localhost")
    for words in (("init", "-q"), ("add", "-A"), ("commit", "-q", "-m", "One")):
        assert run(*git, *words).returncode == 0
    return checkout


def test_what_is_equal_in_two_builds_is_packed_and_released(tmp_path: Path) -> None:
    checkout = checkout_of(tmp_path)
    done = run(checkout / "packaging/build-release", "pc", "pi")
    assert done.returncode == 0, done.stderr
    assert "3 files, the same in both builds" in done.stdout
    released = checkout / "dist/release"
    assert done.stdout.splitlines()[-1] == str(released)
    names = sorted(path.name for path in released.iterdir())
    assert names == ["SHA256SUMS", "menu-board-pc.img.xz", "menu-board-pi.img.xz", "menu-player-core_1_all.deb"]
    assert run("sha256sum", "--check", "SHA256SUMS", at=released).returncode == 0
    assert list(tmp_path.parent.glob("menu-release.*")) == []


@pytest.mark.parametrize("build", ["first", "second"])
def test_a_build_that_fails_ends_the_other_one_and_releases_nothing(build: str, tmp_path: Path) -> None:
    image = f'case $PWD in */{build}) echo "no room" >&2; exit 1 ;; */first) echo disk >"$3" ;; *) sleep 600 ;; esac'
    checkout = checkout_of(tmp_path, image)
    done = run(checkout / "packaging/build-release", "pc")
    assert done.returncode == 1
    assert "no room" in done.stderr
    assert not (checkout / "dist").exists()


def test_builds_that_differ_are_both_kept(tmp_path: Path) -> None:
    checkout = checkout_of(tmp_path, 'basename "$PWD" >"$3"')
    done = run(checkout / "packaging/build-release", "pc")
    assert done.returncode == 1
    assert "menu-board-pc.img: " in done.stdout
    assert [(checkout / f"dist/release.{each}/menu-board-pc.img").read_text() for each in ("first", "second")] == [
        "first\n",
        "second\n",
    ]


def test_a_release_is_made_of_a_commit_and_of_machines_that_there_are(tmp_path: Path) -> None:
    checkout = checkout_of(tmp_path)
    build = checkout / "packaging/build-release"
    assert "there is no machine toaster" in run(build, "toaster").stderr
    (checkout / "control").write_text("")
    refused = run(build, "pc")
    assert (refused.returncode, refused.stderr) == (
        1,
        "build-release: files are changed; a release is made of a commit\n",
    )
    assert not (checkout / "dist").exists()
