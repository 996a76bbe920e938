"""Builds the service, starts and stops its parts. The only module that knows all of them."""

from service.app.application import create_app
from service.app.services import Services, build_services

__all__ = ("Services", "build_services", "create_app")
