"""Calls for the team, keys, webhooks, alerts, the subscription and the audit of a workspace."""
