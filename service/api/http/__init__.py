"""Rules that hold for every call: authentication, limits, bodies, retries, conditional requests, problems, logs."""
