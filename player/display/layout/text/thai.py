"""Joins the pieces of Thai text between which a line may break into whole words, for words of menus that libthai's
dictionary, by which Qt breaks, splits or does not contain; imports no Qt."""

from __future__ import annotations

import re
from collections.abc import Sequence
from itertools import accumulate, pairwise

_LETTERS = r"\u0e01-\u0e3a\u0e40-\u0e4e"
_MARKS = r"\u0e30-\u0e3a\u0e45\u0e47-\u0e4e"
"""Vowels and tones that never begin a word."""
_WORDS = """
ไข่ดาว ไข่เจียว ไข่ต้ม ไข่ลวก ไข่กระทะ ชานม ชาเขียว ชาไทย ราดหน้า ปูนิ่ม ทับทิมกรอบ ขนมจีบ ปิ้งย่าง หมูกรอบ หมูสะเต๊ะ ปลากะพง
คาปูชิโน่ คาปูชิโน เอสเปรสโซ่ เอสเพรสโซ่ เอสเพรสโซ อเมริกาโน่ มัคคิอาโต้ มัคคิอาโต มอคเทล โมจิโต้ เฟรนช์ฟรายส์ ชีสเบอร์เกอร์ คาโบนาร่า
โบโลเนส เพสโต้ ริซอตโต วากิว โซบะ เทมปุระ เทริยากิ เกี๊ยวซ่า โอนิกิริ ทาโกะยากิ ยากิโซบะ บิบิมบับ บุลโกกิ ซีซาร์สลัด แพนเค้ก ชีสเค้ก บราวนี่
พานินี นักเก็ต กราโนล่า วีแกน พาร์เมซาน มอสซาเรลล่า ริบอาย เซอร์ลอยน์ หม่าล่า ฮะเก๋า
"""


def has_thai(text: str) -> bool:
    return re.search(f"[{_LETTERS}]", text) is not None


def words(pieces: Sequence[str]) -> list[str]:
    """Joins the pieces within a word, and splits them where one begins or ends."""
    text, ends = "".join(pieces), {0, *accumulate(map(len, pieces))}
    # The longest first: one word may begin another.
    known = "|".join(sorted(_WORDS.split(), key=len, reverse=True))
    for match in re.finditer(f"({known})(?![{_MARKS}])", text):
        ends -= set(range(match.start() + 1, match.end()))
        ends |= {at for at in match.span() if re.match(f"[{_LETTERS}]{{2}}", text[max(0, at - 1) : at + 1])}
    return [text[start:end] for start, end in pairwise(sorted(ends))]
