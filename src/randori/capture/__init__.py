"""What a recording contains: contacts, strikes, actions and what they are."""
