"""Events in the outbox match their models in the API document."""

from sqlalchemy import select

from service.core.events import PING, EventType
from service.core.json_text import read_json
from service.core.permissions import Role
from service.schema.event import EVENTS, Event
from service.services.devices.presence import OFFLINE_AFTER
from service.storage.tables.webhooks import EventRow
from tests.service.devices.test_presence_events import NOTICED_SECONDS
from tests.service.pos.test_pos import connect, put, synced
from tests.service.support.application import Cafe, Caller, Device, Service, body_of
from tests.service.support.receivers import WEBHOOKS

MODELS: dict[str, type[Event]] = {model.model_json_schema()["properties"]["type"]["const"]: model for model in EVENTS}


def envelopes(service: Service) -> dict[str, str]:
    """The newest event of each type, as it is delivered."""
    with service.services.database.read() as session:
        return {row.type: row.body for row in session.scalars(select(EventRow).order_by(EventRow.number))}


async def test_every_event_matches_the_document(service: Service, owner: Caller, cafe: Cafe, device: Device) -> None:
    await device.heartbeat()
    publish = f"/v1/playlists/{cafe.playlist}/publish"
    for decision, body in (("approve", None), ("reject", {"reason": "Too dark."})):
        asked = await service.caller(Role.EDITOR).post(publish)
        decided = await owner.send("POST", f"/v1/approvals/{body_of(asked)['id']}/{decision}", body)
        assert decided.status_code == 200, decided.text
    put(service, "id,name,category,price\n1,Espresso,Coffee,2.20\n")
    await synced(service, owner, await connect(owner))
    await synced(service, owner, await connect(owner, feed="missing.csv"))
    invite = await owner.make("/v1/team/invites", {"email": "kim@example.com", "role": "Editor"})
    await owner.make("/v1/team/invites/accept", {"token": invite["token"], "name": "Kim"})
    assert (await owner.patch("/v1/subscription", {"plan": "plus"})).status_code == 200
    webhook = await owner.make(WEBHOOKS, {"url": "https://hooks.example.invalid/", "events": ["screen.online"]})
    assert (await owner.post(f"{WEBHOOKS}/{webhook['id']}/test")).status_code == 202
    await service.pass_seconds(NOTICED_SECONDS)
    service.clock.set(service.clock.now() + OFFLINE_AFTER)
    await service.pass_seconds(NOTICED_SECONDS)

    events = envelopes(service)

    assert set(events) == {*EventType, PING} == set(MODELS)
    for kind, body in events.items():
        # No field is missing, and none is undeclared.
        assert MODELS[kind].model_validate_json(body).document() == read_json(body.encode())
