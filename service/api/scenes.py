"""`/v1/scenes` and `/v1/schedules`."""

from typing import Annotated

from fastapi import APIRouter, Body, Query
from fastapi.routing import APIRoute
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from service.api.asset_reply import matches
from service.api.guard import Editor, Paged, Reader
from service.api.preconditions import Expected, condition_of
from service.api.replies import JsonReply, created, nothing, resource
from service.api.routing import public_router
from service.schema.lists import Listing
from service.schema.scene import ScenePatch, SceneResponse
from service.schema.schedule import ScheduleCreate, ScheduleResponse
from service.schema.template import NewScene, SceneFromTemplate, TemplateResponse
from service.services.content.scenes import SceneService
from service.services.content.templates import TemplateService
from service.services.publishing.previews import DEFAULT_WIDTH, MAX_WIDTH, MIN_WIDTH, PreviewService

Width = Annotated[int, Query(ge=MIN_WIDTH, le=MAX_WIDTH, description="Pixels; the height follows from the canvas.")]
Place = Annotated[
    str | None,
    Query(max_length=100, description="Whose currency, language and time are drawn; the first location without it."),
]


def scene_routes(
    *, scenes: SceneService, templates: TemplateService, previews: PreviewService, route: type[APIRoute]
) -> APIRouter:
    """What boards look like and when they may show. Screens follow at the next publish."""
    router = public_router("/v1", tag=None, route=route)

    @router.get("/scenes", tags=["Scenes"], response_model=Listing[SceneResponse])
    def list_scenes(access: Reader, page: Paged) -> Response:
        """List scenes, oldest first."""
        return JsonReply(scenes.list(access.workspace, page))

    @router.post("/scenes", tags=["Scenes"], status_code=201, response_model=SceneResponse)
    def create_scene(body: Annotated[NewScene, Body()], access: Editor) -> Response:
        """Create a scene, whole or from a template of the design kit."""
        if isinstance(body, SceneFromTemplate):
            view = templates.create(access.workspace, body)
        else:
            view = scenes.create(access.workspace, body)
        return created(view, at=f"/v1/scenes/{view.id}")

    @router.get("/scenes/templates", tags=["Scenes"], response_model=Listing[TemplateResponse])
    def list_templates(access: Reader) -> Response:
        """List the templates of the design kit."""
        del access
        return JsonReply(templates.list())

    @router.get("/scenes/{scene}", tags=["Scenes"], response_model=SceneResponse)
    def get_scene(scene: str, access: Reader) -> Response:
        """Get one scene with its schedules."""
        return resource(scenes.get(access.workspace, scene))

    @router.get("/scenes/{scene}/preview.png", tags=["Scenes"], response_class=Response)
    async def preview_scene(
        scene: str, request: Request, access: Reader, width: Width = DEFAULT_WIDTH, location: Place = None
    ) -> Response:
        """Get a picture of the scene as boards draw it, with the items as they are."""
        drawing = await run_in_threadpool(previews.plan, access, scene, width=width, location=location)
        headers = {"ETag": f'"{drawing.tag}"', "Cache-Control": "private, no-cache"}
        condition_of(request).check_tag(drawing.tag)
        if matches(request.headers.get("if-none-match"), drawing.tag):
            return Response(status_code=304, headers=headers)
        return Response(await previews.render(drawing), media_type="image/png", headers=headers)

    @router.patch("/scenes/{scene}", tags=["Scenes"], response_model=SceneResponse)
    def change_scene(scene: str, body: ScenePatch, access: Editor, expected: Expected) -> Response:
        """Replace the given top-level fields, each of them whole."""
        return resource(scenes.change(access.workspace, scene, body, expected))

    @router.delete("/scenes/{scene}", tags=["Scenes"], status_code=204, response_model=None)
    def delete_scene(scene: str, access: Editor, expected: Expected) -> Response:
        """Remove a scene (409 while a playlist holds it)."""
        scenes.remove(access.workspace, scene, expected)
        return nothing()

    @router.post("/scenes/{scene}/schedules", tags=["Schedules"], status_code=201, response_model=ScheduleResponse)
    def attach_schedule(scene: str, body: ScheduleCreate, access: Editor) -> Response:
        """Attach a schedule: the scene shows while any of its schedules holds."""
        view = scenes.attach(access.workspace, scene, body)
        return created(view, at=f"/v1/schedules/{view.id}")

    @router.delete("/schedules/{schedule}", tags=["Schedules"], status_code=204, response_model=None)
    def delete_schedule(schedule: str, access: Editor, expected: Expected) -> Response:
        """Remove a schedule from its scene."""
        scenes.detach(access.workspace, schedule, expected)
        return nothing()

    return router
