"""Settings of the desk: pages of locations, groups, the team, keys, webhooks, alerts, points of sale."""
