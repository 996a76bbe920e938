"""The HTTP side: routes that read a request, call a service and write its answer. Holds no rules of its own."""
