"""What to simulate, the result, and handing it over."""
