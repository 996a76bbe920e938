"""Web pages: self-contained, with a minimal content security policy."""

import base64
import hashlib
import re
from html.parser import HTMLParser

import pytest

from tests.service.support.application import Service, body_of


class Links(HTMLParser):
    def __init__(self) -> None:
        super().__init__()
        self.found: list[str] = []

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        self.found += [value or "" for name, value in attrs if name in ("src", "href", "action", "srcset")]


@pytest.mark.parametrize("path", ["/join", "/docs"])
async def test_a_page_loads_nothing_from_other_hosts(service: Service, path: str) -> None:
    response = await service.client.get(path)

    assert response.status_code == 200
    assert response.headers["Content-Type"] == "text/html; charset=utf-8"
    links = Links()
    links.feed(response.text)
    assert [link for link in links.found if not link.startswith("#")] in ([], ["openapi.json"])
    assert "@import" not in response.text
    assert "url(" not in response.text


@pytest.mark.parametrize("path", ["/join", "/docs"])
async def test_a_page_may_run_only_its_own_code(service: Service, path: str) -> None:
    response = await service.client.get(path)

    policy = dict(part.strip().split(" ", 1) for part in response.headers["Content-Security-Policy"].split(";"))
    assert policy["default-src"] == "'none'"
    assert policy["connect-src"] == "'self'"
    assert policy["frame-ancestors"] == "'none'"
    for kind in ("style", "script"):
        for text in re.findall(rf"<{kind}>(.*?)</{kind}>", response.text, re.DOTALL):
            digest = base64.b64encode(hashlib.sha256(text.encode()).digest()).decode()
            assert f"'sha256-{digest}'" in policy[f"{kind}-src"]
    # Nothing that the policy would block.
    assert not re.search(r"<[a-z]+[^>]* (style|on[a-z]+)=", response.text)
    assert "unsafe" not in response.headers["Content-Security-Policy"]


@pytest.mark.parametrize(
    ("path", "to"),
    [("/", "desk/"), ("/pair", "desk/screens/pair"), ("/pair?code=WDJ-BMJ", "desk/screens/pair?code=WDJ-BMJ")],
)
async def test_the_root_and_the_qr_code_of_a_screen_lead_to_the_desk(service: Service, path: str, to: str) -> None:
    response = await service.client.get(path)

    assert (response.status_code, response.headers["Location"]) == (307, to)


async def test_health_needs_no_key(service: Service) -> None:
    response = await service.client.get("/healthz")

    assert (response.status_code, response.json()) == (200, {"status": "ok"})


async def test_the_api_document_describes_every_call(service: Service) -> None:
    document = body_of(await service.client.get("/openapi.json"))

    assert document["openapi"].startswith("3.1")
    for path, methods in document["paths"].items():
        for method, operation in methods.items():
            assert operation["description"], (method, path)
            assert operation["tags"], (method, path)
            if not path.startswith("/v1/player/"):
                keyless = (path.startswith("/v1/team/invites/") and method == "post") or path == "/v1/billing/callback"
                assert operation["security"] == ([] if keyless else [{"apiKey": []}]), (method, path)
    item = document["components"]["schemas"]["ItemPatch"]["properties"]
    assert "default" not in item["price"]
    assert item["price"]["type"] == "number"


async def test_the_reference_page_shows_every_path(service: Service) -> None:
    page = (await service.client.get("/docs")).text
    document = body_of(await service.client.get("/openapi.json"))

    for path in document["paths"]:
        assert path in page
    for name in document["components"]["schemas"]:
        assert f'id="{name}"' in page
