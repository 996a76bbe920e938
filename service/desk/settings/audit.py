"""Acts of users and keys: the newest first, by actor, subject and day, and as CSV."""

from dataclasses import asdict, dataclass
from datetime import date
from typing import Annotated
from urllib.parse import urlencode

from fastapi import Depends, Query
from starlette.responses import Response, StreamingResponse

from service.api.devices.receipts import CSV
from service.core.audit_acts import AuditAct
from service.desk.desk import Desk
from service.desk.lists import Cursor, Pages
from service.desk.routing import desk_routes
from service.desk.settings.pages import AUDIT, settings_page
from service.desk.visits import HEADERS, MayReadAudit
from service.desk.words import phrase
from service.services.access.audit import AuditFilter
from service.storage.paging import PageRequest

SHOWN = 50

ACTS = {
    AuditAct.CREATED: phrase("Made"),
    AuditAct.CHANGED: phrase("Changed"),
    AuditAct.REMOVED: phrase("Removed"),
    AuditAct.PUBLISHED: phrase("Published"),
    AuditAct.ASKED: phrase("Asked for approval"),
    AuditAct.APPROVED: phrase("Approved"),
    AuditAct.REJECTED: phrase("Rejected"),
    AuditAct.SENT: phrase("Sent"),
    AuditAct.UNDONE: phrase("Undone"),
    AuditAct.SIGNED_IN: phrase("Signed in"),
    AuditAct.SIGNED_OUT: phrase("Signed out"),
}
KINDS = {
    "alert": phrase("Alert"),
    "asset": phrase("Picture or film"),
    "enrolment_token": phrase("Enrolment token"),
    "group": phrase("Group"),
    "import": phrase("Import"),
    "invite": phrase("Invitation"),
    "item": phrase("Item"),
    "key": phrase("API key"),
    "location": phrase("Location"),
    "member": phrase("Member"),
    "override": phrase("Shown now"),
    "person": phrase("Profile"),
    "planned_change": phrase("Planned change"),
    "playlist": phrase("Playlist"),
    "point_of_sale": phrase("Point of sale"),
    "rollout": phrase("Rollout"),
    "scene": phrase("Board"),
    "screen": phrase("Screen"),
    "second_factor": phrase("Second factor"),
    "subscription": phrase("Subscription"),
    "team": phrase("Team"),
    "webhook": phrase("Webhook"),
    "words": phrase("Words"),
}
FIELDS = {
    "price": phrase("Price"),
    "eightySixed": phrase("Sold out"),
    "hidden": phrase("Hidden"),
    "name": phrase("Name"),
    "category": phrase("Category"),
    "role": phrase("Role"),
    "password": phrase("Password"),
    "openingHours": phrase("Opening hours"),
}
"""Fields that are named; of others it is enough that something has changed."""


@dataclass(frozen=True, slots=True)
class _Choice:
    """Filter in the query of an address, empty where nothing is chosen."""

    actor: Annotated[str, Query(max_length=40)] = ""
    subject: Annotated[str, Query(max_length=64)] = ""
    day: Annotated[str, Query(max_length=10)] = ""

    @property
    def filter(self) -> AuditFilter:
        """Filter of the service; an invalid day is ignored."""
        try:
            on = date.fromisoformat(self.day) if self.day else None
        except ValueError:
            on = None
        return AuditFilter(self.actor or None, self.subject or None, on)


Chosen = Annotated[_Choice, Depends()]

routes = desk_routes(Desk, AUDIT)


@routes.get()
def list_acts(desk: Desk, visit: MayReadAudit, chosen: Chosen, cursor: Cursor = None) -> Response:
    """Returns the acts, newest first."""
    request = PageRequest(SHOWN, cursor, newest_first=True)
    found, given = desk.services.audit.list(visit.access, request, chosen.filter), asdict(chosen)
    return settings_page(
        visit,
        "settings_audit",
        found=found.data,
        actors=desk.services.audit.actors(visit.access),
        given=given,
        file=f"{AUDIT}/file.csv?{urlencode(given)}",
        acts=ACTS,
        kinds=KINDS,
        names=FIELDS,
        pages=Pages(AUDIT, given, cursor, found.pagination.cursor),
    )


@routes.get("/file.csv")
def download(desk: Desk, visit: MayReadAudit, chosen: Chosen) -> Response:
    """All of them as CSV, oldest first."""
    named = {"Content-Disposition": 'attachment; filename="audit.csv"'}
    table = desk.services.audit.table(visit.access, chosen.filter)
    return StreamingResponse(table, media_type=CSV, headers={**HEADERS, **named})
