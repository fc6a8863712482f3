"""The page's messages are those of the server."""

from randori.studio.typescript import TARGET, generate


def test_the_committed_typescript_is_what_the_messages_say() -> None:
    assert TARGET.read_text(encoding="utf-8") == generate(), "run: python -m randori.studio.typescript"
