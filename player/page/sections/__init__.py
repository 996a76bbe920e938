"""Technician's page: from facts to HTML, in plain English; pure, and decides nothing."""
