"""What the service promises, one file a resource. Imports storage and schema, nothing of the web framework."""
