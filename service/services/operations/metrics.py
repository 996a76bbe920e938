"""Metrics of the service for Prometheus; independent of the web framework.

Labels are bounded: route templates, known methods, statuses, and codes of findings; never an id, a key or a name.
"""

from collections.abc import Callable, Iterable, Iterator

from prometheus_client import CollectorRegistry, Counter, Histogram, generate_latest
from prometheus_client.core import GaugeMetricFamily
from prometheus_client.registry import Collector

METHODS = frozenset({"GET", "HEAD", "POST", "PUT", "PATCH", "DELETE", "OPTIONS"})
NO_ROUTE = "none"

Gauge = tuple[str, str, Callable[[], float | dict[str, float]]]
"""Name, help, and the value, or values by the label CODE."""

CODE = "code"


class Metrics:
    """Counts requests, and reads the gauges for each scrape. Safe to use from any thread."""

    def __init__(self, *, gauges: Iterable[Gauge] = ()) -> None:
        self._registry = CollectorRegistry()
        self._requests = Counter(
            "menu_requests", "Requests answered.", ("route", "method", "status"), registry=self._registry
        )
        self._seconds = Histogram(
            "menu_request_seconds",
            "From the request to the end of its answer; held requests wait on purpose.",
            ("route", "method"),
            # Held requests end in the last one.
            buckets=(0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0, 30.0),
            registry=self._registry,
        )
        self._series: dict[tuple[str, str, int], tuple[Counter, Histogram]] = {}
        self._registry.register(_Gauges(tuple(gauges)))

    def count(self, *, route: str | None, method: str, status: int, seconds: float) -> None:
        """Counts an answered request; `route` is its template, or None if no route matches."""
        of = route or NO_ROUTE, method if method in METHODS else "other", status
        series = self._series.get(of)
        if series is None:
            # To find them by their labels takes longer than to count.
            series = self._series[of] = self._requests.labels(*of), self._seconds.labels(*of[:2])
        series[0].inc()
        series[1].observe(seconds)

    def exposition(self) -> bytes:
        """Returns all metrics in the text format 0.0.4 of Prometheus. Raises what a gauge raises."""
        return generate_latest(self._registry)


class _Gauges(Collector):
    def __init__(self, gauges: tuple[Gauge, ...]) -> None:
        self._gauges = gauges

    def describe(self) -> Iterator[GaugeMetricFamily]:
        """Yields the names without values: the gauges cannot be read before the service has started."""
        for name, help_text, _ in self._gauges:
            yield GaugeMetricFamily(name, help_text)

    def collect(self) -> Iterator[GaugeMetricFamily]:
        for name, help_text, read in self._gauges:
            value = read()
            if not isinstance(value, dict):
                yield GaugeMetricFamily(name, help_text, value=value)
                continue
            family = GaugeMetricFamily(name, help_text, labels=(CODE,))
            for code, number in value.items():
                family.add_metric((code,), number)
            yield family
