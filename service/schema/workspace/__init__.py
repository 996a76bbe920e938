"""Team, keys, people, webhooks, alerts, the subscription and the audit of a workspace."""
