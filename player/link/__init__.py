"""The link to the service: pairing, polls for manifests, heartbeats and downloads."""
