"""The analysis of recordings: contacts, strikes, actions and their tags."""
