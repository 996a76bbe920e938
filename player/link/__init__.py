"""Calls the service: pairing, polls for manifests, heartbeats and downloads."""
