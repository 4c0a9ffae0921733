"""What to buy and how to run it: every option as a row, which limits it breaks, and which of those left is best."""
