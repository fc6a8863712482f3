"""`python -m randori` is `randori`."""

from randori.cli import main

main()
