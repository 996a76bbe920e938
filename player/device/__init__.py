"""Machine access: clocks, gauges, systemd; imports domain and the standard library only."""
