"""The pictures of the documentation are those that the library draws, and each has a place on the page."""

from pathlib import Path

from tools.draw_pictures import IMAGES, pictures

PAGE = Path(IMAGES).parent / "pictures.md"


def test_the_pictures_of_the_page_are_drawn_as_today():
    page = PAGE.read_text(encoding="utf-8")
    for name, svg in pictures().items():
        assert (IMAGES / name).read_text(encoding="utf-8") == f"{svg}\n", (
            f"docs/images/{name} is not as drawn today: python tools/draw_pictures.py"
        )
        assert f"(images/{name})" in page
        assert len(svg.encode()) < 25_000
