"""The studio: a server on this machine, and the page that it shows (web/)."""
