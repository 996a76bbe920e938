"""The fault table: each fault is injected for real into a real, paired player, whose first finding has to be right.

A fault, or a healthy state, is a `Fault` (tests/diagnosis/fault.py) in one of the tables:

- tests/diagnosis/network_faults.py: link, address, name server, proxy, TLS, portal, service
- tests/diagnosis/device_faults.py: disk, clock, gauges, screen, the player itself
- tests/diagnosis/content_faults.py: playlists, scenes, items, files
- tests/diagnosis/healthy.py: what is no fault, and must not be told as one

A module with another part of the table is added to tests/diagnosis/table.py. An injection is a function of the rig
(tests/diagnosis/rig.py) that yields: what is before the `yield` injects the fault, what is after it mends it.

    @contextmanager
    def _cable_out(rig: Rig) -> Iterator[None]:
        rig.router("ip", "link", "set", "shop0", "down")
        yield
        rig.router("ip", "link", "set", "shop0", "up")

    FAULTS = (Fault("cable out", _cable_out, "connection_no_cable"),)

`python -m tests.diagnosis "cable out"` injects it and tells what the page says, second by second; without a name it
lists the table. tests/diagnosis/test_faults.py has the quick ones, in `make test-long`;
`make bench-diagnosis` runs all, several at a time. Where users may make namespaces nothing needs root but the disk
that fails (tests/diagnosis/bad_disk.py). What a machine does not allow (`NotHereError`) is left out, and told.
"""
