"""The page's messages are those of the server."""

from randori.studio.typescript import TARGET, generate


def test_the_committed_typescript_is_what_the_messages_say() -> None:
    written = {path.name: path.read_text(encoding="utf-8") for path in TARGET.glob("*.ts")}
    assert written == generate(), "run: python -m randori.studio.typescript"
