"""`/v1/scenes` and `/v1/schedules`."""

from typing import Annotated, Any

from fastapi import Body, Query
from starlette.requests import Request
from starlette.responses import Response

from service.api.content.scene_images import (
    AtQuery,
    HeightQuery,
    ItemsQuery,
    LanguageQuery,
    LocationQuery,
    WidthQuery,
    image_reply,
)
from service.api.http.authentication import MayEdit, MayRead
from service.api.http.bodies import body_schema, model_of
from service.api.http.paging import Paged
from service.api.http.preconditions import Expected
from service.api.http.replies import JsonReply, created, resource
from service.api.http.routes import api_routes
from service.api.http.routing import read_json_body
from service.core.errors import not_found
from service.schema.content.scene import ScenePatch, SceneResponse
from service.schema.content.template import NewScene, Orientation, SceneFromTemplate, TemplateResponse, ThemeResponse
from service.schema.fields import Label
from service.schema.lists import Listing
from service.schema.publishing.schedule import ScheduleCreate, SchedulePatch, ScheduleResponse
from service.services.publishing.pictures import draft_picture, scene_picture, template_picture
from service.services.publishing.previews import DEFAULT_WIDTH
from service.services.registry import Services

routes = api_routes("/v1", tag=None)
"""Scenes and their schedules. Screens follow at the next publish."""


@routes.get("/scenes", tags=["Scenes"], response_model=Listing[SceneResponse])
def list_scenes(services: Services, access: MayRead, page: Paged) -> Response:
    """List scenes, oldest first."""
    return JsonReply(services.scenes.list(access.workspace, page))


@routes.post("/scenes", tags=["Scenes"], status_code=201, response_model=SceneResponse)
def create_scene(services: Services, body: Annotated[NewScene, Body()], access: MayEdit) -> Response:
    """Create a scene, whole or from a template of the design kit."""
    if isinstance(body, SceneFromTemplate):
        return created(services.templates.create(access.workspace, body), at="/v1/scenes")
    return created(services.scenes.create(access.workspace, body), at="/v1/scenes")


@routes.get("/scenes/templates", tags=["Scenes"], response_model=Listing[TemplateResponse])
def list_templates(services: Services, access: MayRead) -> Response:
    """List the templates of the design kit."""
    del access
    return JsonReply(services.templates.list())


@routes.get("/scenes/themes", tags=["Scenes"], response_model=Listing[ThemeResponse])
def list_themes(services: Services, access: MayRead) -> Response:
    """List the themes of the design kit."""
    del access
    return JsonReply(services.templates.themes())


@routes.get("/scenes/templates/{template}/preview.png", tags=["Scenes"], response_class=Response)
async def preview_template(
    services: Services,
    template: str,
    request: Request,
    access: MayRead,
    width: WidthQuery = DEFAULT_WIDTH,
    location: LocationQuery = None,
    language: LanguageQuery = None,
    orientation: Annotated[Orientation | None, Query(description="The first one of the template by default.")] = None,
    theme: Annotated[Label | None, Query(description="The name of a theme of the kit.")] = None,
) -> Response:
    """Get an image of the scene that the template makes of the current items. Nothing is created."""
    if template not in {one.template for one in services.templates.list().data}:
        raise not_found("template", template)
    given = {"orientation": orientation, "theme": theme}
    body = model_of(
        SceneFromTemplate,
        {"template": template, **{name: value for name, value in given.items() if value is not None}},
    )
    picture = template_picture(services.templates, body, access.workspace)
    return await image_reply(
        request, services.previews, access, picture, width=width, location=location, language=language
    )


@routes.get("/scenes/{scene}", tags=["Scenes"], response_model=SceneResponse)
def get_scene(services: Services, scene: str, access: MayRead) -> Response:
    """Get one scene with its schedules."""
    return resource(services.scenes.get(access.workspace, scene))


@routes.get("/scenes/{scene}/preview.png", tags=["Scenes"], response_class=Response)
async def preview_scene(
    services: Services,
    scene: str,
    request: Request,
    access: MayRead,
    width: WidthQuery = DEFAULT_WIDTH,
    height: HeightQuery = None,
    location: LocationQuery = None,
    language: LanguageQuery = None,
    at: AtQuery = None,
    items: ItemsQuery = None,
) -> Response:
    """Get an image of the scene as players draw it, with the items as they are, or will be at an instant."""
    return await image_reply(
        request,
        services.previews,
        access,
        scene_picture(scene),
        width=width,
        height=height,
        location=location,
        language=language,
        at=at,
        items=items,
    )


@routes.post(
    "/scenes/{scene}/preview.png",
    tags=["Scenes"],
    response_class=Response,
    openapi_extra=body_schema(ScenePatch),
)
async def preview_change(
    services: Services,
    scene: str,
    request: Request,
    access: MayEdit,
    width: WidthQuery = DEFAULT_WIDTH,
    height: HeightQuery = None,
    location: LocationQuery = None,
    language: LanguageQuery = None,
    items: ItemsQuery = None,
) -> Response:
    """Get an image of the scene as a change of it would make it. Nothing is changed."""
    _, document = await read_json_body(request)
    picture = draft_picture(scene, model_of(ScenePatch, document))
    shown: dict[str, Any] = {"location": location, "language": language, "items": items}
    return await image_reply(request, services.previews, access, picture, width=width, height=height, **shown)


@routes.patch("/scenes/{scene}", tags=["Scenes"], response_model=SceneResponse)
def change_scene(services: Services, scene: str, body: ScenePatch, access: MayEdit, expected: Expected) -> Response:
    """Replace the given top-level fields, each as a whole."""
    return resource(services.scenes.change(access.workspace, scene, body, expected, by=access.key))


@routes.delete("/scenes/{scene}", tags=["Scenes"])
def delete_scene(services: Services, scene: str, access: MayEdit, expected: Expected) -> None:
    """Delete a scene (409 while a playlist holds it)."""
    services.scenes.remove(access.workspace, scene, expected)


@routes.post("/scenes/{scene}/schedules", tags=["Schedules"], status_code=201, response_model=ScheduleResponse)
def attach_schedule(services: Services, scene: str, body: ScheduleCreate, access: MayEdit) -> Response:
    """Attach a schedule: the scene may show while any of its schedules applies."""
    return created(services.scenes.attach(access.workspace, scene, body), at="/v1/schedules")


@routes.get("/scenes/{scene}/schedules", tags=["Schedules"], response_model=Listing[ScheduleResponse])
def list_schedules(services: Services, scene: str, access: MayRead, page: Paged) -> Response:
    """List the schedules of a scene, oldest first."""
    return JsonReply(services.scenes.schedules(access.workspace, scene, page))


@routes.get("/schedules/{schedule}", tags=["Schedules"], response_model=ScheduleResponse)
def get_schedule(services: Services, schedule: str, access: MayRead) -> Response:
    """Get one schedule."""
    return resource(services.scenes.schedule(access.workspace, schedule))


@routes.patch("/schedules/{schedule}", tags=["Schedules"], response_model=ScheduleResponse)
def change_schedule(
    services: Services, schedule: str, body: SchedulePatch, access: MayEdit, expected: Expected
) -> Response:
    """Change some fields of a schedule. A daypart stays a daypart, and a window a window."""
    return resource(services.scenes.reschedule(access.workspace, schedule, body, expected))


@routes.delete("/schedules/{schedule}", tags=["Schedules"])
def delete_schedule(services: Services, schedule: str, access: MayEdit, expected: Expected) -> None:
    """Delete a schedule of a scene."""
    services.scenes.detach(access.workspace, schedule, expected)
