"""v0: 410 for every call, with the standard headers and a link to v1."""

from datetime import UTC, datetime, timedelta
from email.utils import parsedate_to_datetime

from tests.service.api.test_problems import problem_of
from tests.service.support.application import Service

PATHS = ("/v0", "/v0/", "/v0/screens", "/v0/content/items/bulk", "/v0/%2e%2e/v1/screens")


async def test_v0_is_gone_and_names_its_successor(service: Service) -> None:
    for path in PATHS:
        for method in ("GET", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"):
            response = await service.client.request(method, path, content=b"{not json")

            assert "/v1" in problem_of(response, 410, "gone")["detail"], (method, path)
            assert '</v1>; rel="successor-version"' in response.headers["Link"], (method, path)


async def test_the_sunset_is_a_year_after_the_deprecation(service: Service) -> None:
    response = await service.client.get("/v0/screens")

    sunset = parsedate_to_datetime(response.headers["Sunset"])
    deprecated = datetime.fromtimestamp(int(response.headers["Deprecation"].removeprefix("@")), UTC)
    assert response.headers["Sunset"].endswith("GMT")
    assert deprecated + timedelta(days=365) <= sunset < service.clock.now()


async def test_similar_paths_are_not_found(service: Service) -> None:
    problem_of(await service.client.get("/v01/screens"), 404, "no_such_path")
