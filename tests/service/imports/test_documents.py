"""Menus in Word files and PDFs: their lines are read as pasted ones; bounds, damage and missing libraries are told."""

import io
import zipfile
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

import pytest
from docx import Document
from docx.shared import Pt

from service.core.amounts import Notation
from service.services.imports import document_lines, documents
from service.services.imports.document_lines import MAX_PAGES, MAX_TEXT
from service.services.imports.files import FileText, read_file
from service.services.imports.sheets import read_sheet
from service.services.pos.feed import MAX_FEED_BYTES, FeedContent, FeedError, FeedFailure

EURO = Notation("EUR", ("de-DE",))
MENU = [
    ("Coffee", "Flat white", "3.40", "with two shots"),
    ("Coffee", "Espresso", "2.20", None),
    ("Cake", "Carrot cake", "4.20", None),
]


def word(*, table: bool = False) -> bytes:
    document = Document()
    document.add_heading("Coffee", 1)
    document.add_paragraph("Flat white\t3,40 €")
    small = document.add_paragraph().add_run("with two shots")
    small.font.size = Pt(8)
    if table:
        cells = document.add_table(1, 2).rows[0].cells
        cells[0].text, cells[1].text = "Espresso", "2,20"
    else:
        document.add_paragraph("Espresso ...... 2,20")
    document.add_heading("Cake", 1)
    document.add_paragraph("Carrot cake 4,20 €")
    for paragraph in document.paragraphs:
        for run in paragraph.runs:
            run.font.size = run.font.size or Pt(11)
    output = io.BytesIO()
    document.save(output)
    return output.getvalue()


def pdf(*pages: Sequence[tuple[int, int, str]]) -> bytes:
    """A PDF of texts at points (x, y) of its pages."""
    count = len(pages)
    parts = [
        "<</Type/Catalog/Pages 2 0 R>>",
        f"<</Type/Pages/Count {count}/Kids[{' '.join(f'{4 + 2 * at} 0 R' for at in range(count))}]>>",
        "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>",
    ]
    for at, page in enumerate(pages):
        shown = "".join(f"BT /F 11 Tf {x} {y} Td ({text}) Tj ET\n" for x, y, text in page)
        box = f"/MediaBox[0 0 400 600]/Resources<</Font<</F 3 0 R>>>>/Contents {5 + 2 * at} 0 R"
        parts += [f"<</Type/Page/Parent 2 0 R{box}>>", f"<</Length {len(shown)}>>stream\n{shown}endstream"]
    raw, places = b"%PDF-1.4\n", []
    for number, part in enumerate(parts, start=1):
        places.append(len(raw))
        raw += f"{number} 0 obj{part}endobj\n".encode("latin-1")
    table = "".join(f"{place:010} 00000 n \n" for place in places)
    start = len(raw)
    raw += (
        f"xref\n0 {len(parts) + 1}\n0000000000 65535 f \n{table}trailer<</Size {len(parts) + 1}/Root 1 0 R>>\n".encode()
    )
    return raw + f"startxref\n{start}\n%%EOF".encode()


PRINTED = pdf(
    [
        (40, 550, "COFFEE"),
        (40, 530, "Flat white"),
        (300, 530, "3,40"),
        (60, 517, "with two shots"),
        (40, 500, "Espresso"),
        (300, 500, "2,20"),
    ],
    [(40, 550, "CAKE"), (40, 530, "Carrot cake"), (300, 530, "4,20")],
)


def read(raw: bytes) -> list[tuple[str | None, str | None, str, str | None]]:
    file = read_file(raw)
    assert isinstance(file, FileText), file
    found = read_sheet(file.text, category="Menu", notation=EURO).content
    assert isinstance(found, FeedContent), found
    assert not found.errors, found.errors
    return [(row.category, row.name, f"{row.price:.2f}", row.description) for row in found.rows]


@pytest.mark.parametrize("table", [False, True])
def test_a_word_file_is_read_as_the_lines_of_a_menu(*, table: bool) -> None:
    assert read(word(table=table)) == MENU


def test_a_pdf_is_read_as_the_lines_of_a_menu() -> None:
    assert read(PRINTED) == [(str(category).upper(), *rest) for category, *rest in MENU]


def reason(raw: bytes) -> str:
    found = read_file(raw)
    assert isinstance(found, FeedFailure), found
    assert found.detail
    return found.reason


def packed(**parts: bytes) -> bytes:
    output = io.BytesIO()
    with zipfile.ZipFile(output, "w", zipfile.ZIP_DEFLATED) as file:
        for name, content in parts.items():
            file.writestr(name, content)
    return output.getvalue()


def with_document(xml: bytes) -> bytes:
    """The Word file with another text."""
    output = io.BytesIO()
    with zipfile.ZipFile(io.BytesIO(word())) as whole, zipfile.ZipFile(output, "w", zipfile.ZIP_DEFLATED) as file:
        for name in whole.namelist():
            file.writestr(name, xml if name == "word/document.xml" else whole.read(name))
    return output.getvalue()


@pytest.mark.parametrize(
    ("raw", "code"),
    [
        (packed(**{"word/document.xml": b"\0" * (32 * 1024 * 1024 + 1)}), "too_large"),
        (with_document(b'<!DOCTYPE a [<!ENTITY b "c">]><a>&b;</a>'), "bad_workbook"),
        (with_document(b"<a>"), "bad_document"),
        (packed(**{"word/document.xml": b"<a/>"}), "bad_document"),
        (b"%PDF-1.4\nand nothing more", "bad_document"),
        (PRINTED[:200], "bad_document"),
        (b"%PDF-" + b"\0" * MAX_FEED_BYTES, "too_large"),
        (pdf([]), "no_text"),
        (pdf(*[[]] * (MAX_PAGES + 1)), "too_many_pages"),
    ],
    ids=["bomb", "entities", "no XML", "no Word", "no PDF", "cut off", "large", "pictures", "pages"],
)
def test_what_is_no_document_or_too_much_is_told(raw: bytes, code: str) -> None:
    assert reason(raw) == code


def test_a_text_that_is_too_long_is_refused() -> None:
    assert MAX_TEXT == 1_000_000
    paragraph = b"<w:p><w:r><w:t>" + b"x" * 100_000 + b"</w:t></w:r></w:p>"
    head = b'<w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body>'
    assert (
        reason(with_document(head + paragraph * (MAX_TEXT // 100_000 + 1) + b"</w:body></w:document>")) == "too_large"
    )


def test_a_document_that_takes_too_long_is_given_up(tmp_path: Path) -> None:
    endless = tmp_path / "endless.py"
    endless.write_text("import resource\nresource.setrlimit(resource.RLIMIT_CPU, (1, 1))\nwhile True: pass")
    with pytest.raises(FeedError, match="too long to read"):
        documents.document_of(PRINTED, "pdf", program=endless)
    assert (documents.DOCUMENT_SECONDS, document_lines.CPU_SECONDS) == (20, 10)
    with pytest.raises(FeedError, match="too long to read"):
        documents.document_of(PRINTED, "pdf", program=endless, seconds=0.05)


@pytest.mark.parametrize(("library", "form", "raw"), [("docx", "docx", word()), ("pypdf", "pdf", PRINTED)])
def test_a_library_that_is_missing_is_one_sentence(
    tmp_path: Path, library: str, form: Literal["docx", "pdf"], raw: bytes
) -> None:
    program = tmp_path / "without.py"
    lines = f"import sys\nsys.modules[{library!r}] = None\n" + Path(document_lines.__file__).read_text()
    program.write_text(lines.replace("from __future__ import annotations\n", ""))
    with pytest.raises(FeedError, match=f"the operator of the service installs python3-{library}") as missing:
        documents.document_of(raw, form, program=program)
    assert missing.value.failure.reason == f"no_{library}"
