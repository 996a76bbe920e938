"""People at the desk: browsers with cookies, for the running application of a test."""

import re
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from html import unescape
from urllib.parse import urlsplit

import httpx

from service.core.permissions import Role
from service.schema.workspace.person import NewMember
from service.services.access.workspaces import default_workspace
from tests.service.support.application import Service

ORIGIN = "https://service.test"
PASSWORD = "correct horse battery"


class Person:
    """A browser: it keeps cookies, and sends the token of the page with each form."""

    def __init__(self, client: httpx.AsyncClient) -> None:
        self.client = client
        self.csrf = ""

    async def open(self, path: str, **headers: str) -> httpx.Response:
        """A page; redirects are followed."""
        response = await self.client.get(path, headers=headers, follow_redirects=True)
        found = re.search(r'<meta name="csrf" content="([^"]*)">', response.text)
        if found is not None:
            self.csrf = found[1]
        return response

    async def submit(self, path: str, form: Mapping[str, str] | None = None, **headers: str) -> httpx.Response:
        """A form of a page, as without JavaScript; the redirect is not followed."""
        fields = {"csrf": self.csrf, **(form or {})}
        return await self.client.post(path, data=fields, headers={"Origin": ORIGIN, **headers})

    async def act(self, path: str, form: Mapping[str, str] | None = None) -> httpx.Response:
        """A form that htmx sends: the answer is a part."""
        headers = {"Origin": ORIGIN, "HX-Request": "true", "X-CSRF-Token": self.csrf}
        return await self.client.post(path, data=dict(form or {}), headers=headers)

    async def sign_in(self, email: str, password: str = PASSWORD, to: str = "") -> httpx.Response:
        form = {"email": email, "password": password, "next": to}
        return await self.client.post("/desk/sign-in", data=form, headers={"Origin": ORIGIN})

    @property
    def session(self) -> str | None:
        """The token in the session's cookie."""
        return self.client.cookies.get("__Host-desk")


@asynccontextmanager
async def browser(service: Service, address: str = "192.0.2.7") -> AsyncIterator[Person]:
    """A browser at an address, signed in as nobody."""
    transport = httpx.ASGITransport(app=service.asgi, client=(address, 50000), raise_app_exceptions=False)
    async with httpx.AsyncClient(transport=transport, base_url=ORIGIN) as client:
        yield Person(client)


@asynccontextmanager
async def person(service: Service, role: Role, email: str = "kim@example.com") -> AsyncIterator[Person]:
    """A member of the default workspace with this role, signed in."""
    async with browser(service) as one:
        await one.open(link_for(service, role, email))
        yield one


def link_for(service: Service, role: Role, email: str = "kim@example.com") -> str:
    """The path of a link that signs a member in."""
    with service.services.database.write() as unit:
        workspace = default_workspace(unit, service.services.keys._new_id)
    token = service.services.people.sign_in_token(workspace, NewMember(name="Kim", email=email, role=role))
    return f"/desk/enter?token={token}"


def set_up_link(service: Service) -> str | None:
    """The path of the link that the service prints at its start."""
    link: str | None = service.app.state.set_up_link()
    return None if link is None else link.removeprefix(f"https://{urlsplit(link).netloc}")


def text_of(response: httpx.Response) -> str:
    """The text that a person reads."""
    return unescape(re.sub(r"\s+", " ", re.sub(r"<[^>]*>", " ", response.text)))


def buttons(response: httpx.Response) -> set[str]:
    """The addresses to which the forms of a page are sent."""
    return set(re.findall(r'<form[^>]*method="post"[^>]*action="([^"]*)"', response.text))


def undo_of(response: httpx.Response) -> tuple[str, dict[str, str]]:
    """The address and the fields of the form that undoes what the page says was done."""
    said = response.text.partition('class="said')[2]
    [action] = re.findall(r'action="([^"]*)"', said)
    fields = re.findall(r'type="hidden" name="([^"]*)" value="([^"]*)"', said)
    return action, {name: unescape(value) for name, value in fields if name != "csrf"}
