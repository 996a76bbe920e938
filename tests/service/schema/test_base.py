"""The base classes of documents: when their models are built."""

import sys
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from threading import Barrier
from typing import Any

import pytest
from pydantic._internal import _model_construction

from service.schema.base import ResponseModel, json_names

THREADS, MODELS = 8, 20


class Part(ResponseModel):
    unit_price: float


@pytest.fixture
def busy() -> Iterator[None]:
    """Threads take turns as often as they can."""
    before = sys.getswitchinterval()
    sys.setswitchinterval(1e-6)
    yield
    sys.setswitchinterval(before)


@pytest.mark.usefixtures("busy")
def test_a_model_that_several_threads_use_first_is_built_once_and_whole_for_each(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    built: list[str] = []
    build = _model_construction.complete_model_class

    def counted(model: type, name: str, *more: Any, **options: Any) -> bool:
        built.append(name)
        return build(model, name, *more, **options)  # type: ignore[arg-type]

    for _ in range(MODELS):

        class Whole(ResponseModel):
            first_part: Part
            other_parts: tuple[Part, ...] = ()

        begin = Barrier(THREADS)

        def use(model: type[Whole] = Whole, begin: Barrier = begin) -> dict[str, object]:
            begin.wait()
            return model(first_part=Part(unit_price=2.5)).document()

        with monkeypatch.context() as patch, ThreadPoolExecutor(THREADS) as pool:
            patch.setattr(_model_construction, "complete_model_class", counted)
            used = [pool.submit(use) for _ in range(THREADS)]
        assert [one.result() for one in used] == [{"firstPart": {"unitPrice": 2.5}, "otherParts": ()}] * THREADS
    assert built.count("Whole") == MODELS


def test_the_names_of_a_model_are_known_before_it_is_built() -> None:
    class Unbuilt(ResponseModel):
        eighty_sixed: bool
        type_: str

    assert json_names(Unbuilt) == {"eighty_sixed": "eightySixed", "type_": "type"}
    assert not Unbuilt.__pydantic_complete__
