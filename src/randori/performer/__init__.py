"""An actor made of code: it records long takes of one person, and says what is in them."""
