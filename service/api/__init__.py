"""HTTP layer: routes that read a request, call a service and write the response. Holds no rules of its own."""
